/** What the user, or a workspace, has set. */
import { ExtensionContext, Uri, workspace, WorkspaceConfiguration } from "vscode";

export const SECTION = "afterburner";

/** Values by their names without `afterburner.`. */
export type Settings = Record<string, unknown>;

/** The names of the settings that the server knows: those without a dot. */
export function serverSettingNames(context: ExtensionContext): string[] {
  const pages: { properties: object }[] = context.extension.packageJSON.contributes.configuration;
  return pages
    .flatMap((page) => Object.keys(page.properties))
    .map((key) => key.slice(SECTION.length + 1))
    .filter((name) => !name.includes("."));
}

/**
 * What is set explicitly for a file. The defaults of the settings page are left out: the server would take them for the
 * user's choice, and pyproject.toml would never count.
 */
export function explicitSettings(names: string[], scope: Uri | undefined): Settings {
  const configuration = workspace.getConfiguration(SECTION, scope);
  const found = [...names, ...unknownNames(configuration, names)].map((name) => {
    const layers = configuration.inspect(name);
    return [name, layers?.workspaceFolderValue ?? layers?.workspaceValue ?? layers?.globalValue];
  });
  return Object.fromEntries(found.filter(([, value]) => isSet(value)));
}

/**
 * Names that are set and that the settings page does not have: the server says so, and which one may be meant. Those of the
 * page in another spelling are left out, since VS Code would not restrict them in a workspace that is not trusted.
 */
function unknownNames(configuration: WorkspaceConfiguration, names: string[]): string[] {
  return Object.entries(configuration)
    .filter(([name]) => !names.includes(name.replaceAll("_", "-")))
    .filter(([, value]) => Array.isArray(value) || !["object", "function"].includes(typeof value))
    .map(([name]) => name);
}

/**
 * The restricted settings that stand in the user's own configuration. No workspace can have written them, so the server
 * need not ask before it uses them.
 */
export function vouchedSettings(context: ExtensionContext): Settings {
  const keys: string[] = context.extension.packageJSON.capabilities.untrustedWorkspaces.restrictedConfigurations;
  const configuration = workspace.getConfiguration();
  const found = keys.map((key) => [key.slice(SECTION.length + 1), configuration.inspect(key)?.globalValue]);
  return Object.fromEntries(found.filter(([, value]) => isSet(value)));
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0);
}
