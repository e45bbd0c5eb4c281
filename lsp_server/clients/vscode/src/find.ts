/** Finds the server's program, and environments that it can be installed into. */
import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, join, relative } from "node:path";
import { ExtensionContext, workspace } from "vscode";
import { chosenInterpreter } from "./interpreter";
import { SECTION } from "./settings";

const PROGRAM = "afterburner-agent";
const PATH_SETTING = "server.path";
const ENVIRONMENTS = [".venv", "venv"];

/** The path that the user has set; empty: none. */
export function configuredPath(): string {
  const path = workspace.getConfiguration(SECTION).get<string>(PATH_SETTING, "").trim();
  return path.startsWith("~/") ? join(homedir(), path.slice(2)) : path;
}

/**
 * The program: as set, else of the project's environment, else on the PATH, else as this extension has installed it.
 * In a workspace that is not trusted, nothing that lies in it counts.
 */
export async function findServer(context: ExtensionContext): Promise<string | undefined> {
  const configured = configuredPath();
  if (configured) {
    return isAbsolute(configured) && (await isProgram(configured)) ? configured : undefined;
  }
  const folders = [
    ...(await projectInterpreters()).map((interpreter) => dirname(interpreter)),
    ...searchPath(),
    join(privateEnvironment(context), "bin"),
  ];
  return firstProgram(folders, PROGRAM);
}

/** The interpreters of the project's environment, the likeliest first; none in a workspace that is not trusted. */
export async function projectInterpreters(): Promise<string[]> {
  if (!workspace.isTrusted) {
    return [];
  }
  const folders = workspace.workspaceFolders ?? [];
  const chosen = await chosenInterpreter(folders[0]?.uri);
  const usual = folders.flatMap((folder) =>
    ENVIRONMENTS.map((name) => join(folder.uri.fsPath, name, "bin", "python")),
  );
  const there = await Promise.all(usual.map(isProgram));
  return [...(chosen ? [chosen] : []), ...usual.filter((_, index) => there[index])];
}

/** A Python that can make environments. */
export async function basePython(): Promise<string | undefined> {
  return firstProgram(searchPath(), "python3");
}

/** Where this extension installs the server if it shall not go into the project's environment. */
export function privateEnvironment(context: ExtensionContext): string {
  return join(context.globalStorageUri.fsPath, "server");
}

function searchPath(): string[] {
  return (process.env.PATH ?? "").split(delimiter).filter(isAbsolute);
}

async function firstProgram(folders: string[], name: string): Promise<string | undefined> {
  for (const folder of folders) {
    const path = join(folder, name);
    if ((await isProgram(path)) && (workspace.isTrusted || !(await isInWorkspace(path)))) {
      return path;
    }
  }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** Whether a file, or what it links to, lies in a folder of the workspace. */
async function isInWorkspace(path: string): Promise<boolean> {
  const paths = [path, await resolved(path)];
  for (const folder of workspace.workspaceFolders ?? []) {
    const tops = [folder.uri.fsPath, await resolved(folder.uri.fsPath)];
    if (tops.some((top) => paths.some((each) => isInside(relative(top, each))))) {
      return true;
    }
  }
  return false;
}

function isInside(path: string): boolean {
  return path !== ".." && !path.startsWith("../") && !isAbsolute(path);
}

/** Where a path leads to; the path itself if there is nothing. */
function resolved(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}
