/** The interpreter that the user has chosen in the Python extension. */
import { extensions, Uri, workspace } from "vscode";

const PYTHON_EXTENSION = "ms-python.python";

/** What we use of the Python extension's API. */
interface PythonApi {
  environments?: {
    getActiveEnvironmentPath(scope?: Uri): { path: string };
    resolveEnvironment(path: { path: string }): Promise<{ executable: { uri?: Uri } } | undefined>;
  };
}

/**
 * The path of the interpreter; undefined without the Python extension, and in a workspace that is not trusted, whose
 * files may have chosen it.
 */
export async function chosenInterpreter(scope?: Uri): Promise<string | undefined> {
  const extension = extensions.getExtension<PythonApi>(PYTHON_EXTENSION);
  if (!workspace.isTrusted || extension === undefined) {
    return undefined;
  }
  try {
    const { environments } = await extension.activate();
    const chosen = environments?.getActiveEnvironmentPath(scope);
    const found = chosen && (await environments?.resolveEnvironment(chosen));
    return found?.executable.uri?.fsPath;
  } catch {
    return undefined; // the extension's own failure, which it shows itself
  }
}
