/** Installs the server with pip, where and what the user chooses. */
import { spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { CancellationToken, ExtensionContext, LogOutputChannel, ProgressLocation, env, window, workspace } from "vscode";
import { basePython, privateEnvironment, projectInterpreters } from "./find";
import { SECTION } from "./settings";

const LINUX_ONLY = "Afterburner runs on Linux. On Windows, open the folder in WSL.";

/** A sequence of programs with their arguments, and what the user reads of it. */
interface Place {
  label: string;
  detail: string;
  steps: string[][];
}

/** Ask where to, then install. Whether the server is there now. */
export async function installServer(context: ExtensionContext, log: LogOutputChannel): Promise<boolean> {
  if (process.platform === "win32") {
    void window.showErrorMessage(LINUX_ONLY);
    return false;
  }
  const requirement = workspace.getConfiguration(SECTION).get<string>("server.package", "").trim();
  const places = await installPlaces(context, requirement);
  if (places.length === 0) {
    void window.showErrorMessage(
      "Afterburner: there is no python3 on the PATH. Install Python 3.11 or newer with venv, then run Install Server again.",
    );
    return false;
  }
  const place = await window.showQuickPick(places, { title: `Install ${requirement}`, placeHolder: "Where to?" });
  if (place === undefined) {
    return false;
  }
  // pip also imports from the current folder, which must not be the workspace.
  const folder = context.globalStorageUri.fsPath;
  await mkdir(folder, { recursive: true });
  const failed = await window.withProgress(
    { location: ProgressLocation.Notification, title: "Afterburner: installing the server", cancellable: true },
    async (progress, token) => {
      for (const step of place.steps) {
        const said = (line: string): void => {
          log.info(line);
          progress.report({ message: line.slice(0, 80) });
        };
        log.info(`$ ${step.join(" ")}`);
        if (!(await runStep(step, folder, said, token))) {
          return token.isCancellationRequested ? [] : step;
        }
      }
      return undefined;
    },
  );
  if (failed !== undefined && failed.length > 0) {
    void tellFailure(failed, log);
  }
  return failed === undefined;
}

async function installPlaces(context: ExtensionContext, requirement: string): Promise<Place[]> {
  const pip = (python: string): string[] => [python, "-m", "pip", "install", "--disable-pip-version-check", requirement];
  const places = (await projectInterpreters()).map((python) => ({
    label: "The project's environment",
    detail: python,
    steps: [pip(python)],
  }));
  const base = await basePython();
  if (base !== undefined) {
    const folder = privateEnvironment(context);
    places.push({
      label: "A private environment of this extension",
      detail: folder,
      steps: [[base, "-m", "venv", folder], pip(join(folder, "bin", "python"))],
    });
  }
  return places;
}

/** Run one program and pass on what it prints, line by line. Whether it ended well. */
function runStep(step: string[], cwd: string, said: (line: string) => void, token: CancellationToken): Promise<boolean> {
  const [program = "", ...rest] = step;
  return new Promise((resolve) => {
    const child = spawn(program, rest, { cwd, stdio: ["ignore", "pipe", "pipe"] });
    const cancelled = token.onCancellationRequested(() => child.kill());
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (data: Buffer) => data.toString().split("\n").filter((line) => line.trim()).forEach(said));
    }
    child.on("error", (error) => said(error.message));
    child.on("close", (code) => {
      cancelled.dispose();
      resolve(code === 0);
    });
  });
}

async function tellFailure(step: string[], log: LogOutputChannel): Promise<void> {
  const command = step.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(" ");
  const [showLog, copy] = ["Show Log", "Copy Command"];
  const answer = await window.showErrorMessage(
    "Afterburner: the server could not be installed; the log says why. Set afterburner.server.path to a program that you " +
      "have, or afterburner.server.package to what pip can install, such as a checkout. To try again in a terminal: " +
      command,
    showLog,
    copy,
  );
  if (answer === showLog) {
    log.show();
  } else if (answer === copy) {
    await env.clipboard.writeText(command);
  }
}
