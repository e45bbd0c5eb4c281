/** "Optimize this function" in VS Code: finds the server, starts it, and offers what it can do. */
import { commands, env, ExtensionContext, LogOutputChannel, window, workspace } from "vscode";
import { LanguageClient, ProgressToken, State, WorkDoneProgressCancelNotification } from "vscode-languageclient/node";
import { chooseAction, showReportAtCursor } from "./atCursor";
import { createClient, initializationOptions } from "./client";
import { configuredPath, findServer } from "./find";
import { installServer } from "./install";
import { Runs } from "./runs";

const NEVER_ASK = "neverOfferToInstall";
const [INSTALL, CHOOSE, NEVER] = ["Install…", "Choose Program…", "Don't Ask Again"];
const [SHOW_LOG, TRY_AGAIN] = ["Show Log", "Try Again"];

let extension: Extension | undefined;

export async function activate(context: ExtensionContext): Promise<void> {
  extension = new Extension(context);
  await extension.restart();
}

export async function deactivate(): Promise<void> {
  await extension?.stop();
}

class Extension {
  private readonly log: LogOutputChannel = window.createOutputChannel("Afterburner", { log: true });
  private readonly runs = new Runs((token) => this.cancel(token));
  private client: LanguageClient | undefined;
  private vouched = "";
  private hasFailed = false; // whether the program was found and did not start
  private turn: Promise<void> = Promise.resolve();

  constructor(private readonly context: ExtensionContext) {
    const on = (name: string, handle: () => unknown): void => {
      context.subscriptions.push(commands.registerCommand(`afterburner.${name}`, handle));
    };
    on("optimizeHere", () => this.withServer((client) => chooseAction(client, "time")));
    on("optimizeHereForMemory", () => this.withServer((client) => chooseAction(client, "memory")));
    on("optimizeHereForMemoryOverTime", () => this.withServer((client) => chooseAction(client, "integral")));
    on("optimizeHottestHere", () => this.withServer((client) => chooseAction(client, "hottest")));
    on("proveHere", () => this.withServer((client) => chooseAction(client, "prove")));
    on("applyHere", () => this.withServer((client) => chooseAction(client, "apply")));
    on("profileAgain", () => this.withServer((client) => chooseAction(client, "profile", "source.afterburner")));
    on("cancelRun", () => this.withServer(() => this.cancelOne()));
    on("showReport", () => this.withServer(showReportAtCursor));
    on("installServer", () => this.install());
    on("restartServer", () => this.restart());
    on("showLog", () => this.log.show());
    on("status", () => this.clickStatus());
    context.subscriptions.push(
      this.log,
      this.runs,
      workspace.onDidGrantWorkspaceTrust(() => this.restart()),
      workspace.onDidChangeConfiguration((change) => {
        const isOther = change.affectsConfiguration("afterburner.server.path") || this.vouched !== this.vouch();
        if (change.affectsConfiguration("afterburner") && isOther) {
          void this.runs.whenIdle().then(() => this.restart());
        }
      }),
    );
  }

  /** Start the server, or start it anew; one caller after the other. */
  restart(): Promise<void> {
    this.turn = this.turn.catch(() => undefined).then(() => this.stopNow()).then(() => this.startNow());
    return this.turn;
  }

  /** Stop the server. */
  stop(): Promise<void> {
    this.turn = this.turn.catch(() => undefined).then(() => this.stopNow());
    return this.turn;
  }

  private async startNow(): Promise<void> {
    const program = await findServer(this.context);
    if (program === undefined) {
      this.hasFailed = false;
      this.setRunning("The server was not found.");
      if (!this.context.globalState.get(NEVER_ASK)) {
        void this.offerToInstall();
      }
      return;
    }
    this.hasFailed = false;
    this.vouched = this.vouch();
    const client = createClient(this.context, program, this.runs, this.log);
    try {
      await client.start();
      this.client = client;
      this.setRunning("");
      client.onDidChangeState(({ newState }) => {
        if (this.client === client) {
          this.setRunning(newState === State.Running ? "" : "The server does not run.");
        }
      });
    } catch (error) {
      this.log.error(String(error));
      this.hasFailed = true;
      this.setRunning(`${program} does not start.`);
      void this.tellFailedStart(program);
    }
  }

  private async stopNow(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.runs.clear();
    await client?.dispose().catch((error) => this.log.warn(String(error)));
  }

  private setRunning(problem: string): void {
    this.runs.setProblem(problem);
    void commands.executeCommand("setContext", "afterburner.serverRuns", problem === "");
  }

  private vouch(): string {
    return JSON.stringify(initializationOptions(this.context));
  }

  private cancel(token: ProgressToken): void {
    void this.client?.sendNotification(WorkDoneProgressCancelNotification.type, { token });
  }

  private async cancelOne(): Promise<void> {
    if (!(await this.runs.offerToCancel())) {
      void window.showInformationMessage("Afterburner: no run is active or queued.");
    }
  }

  private async withServer(handle: (client: LanguageClient) => Promise<void>): Promise<void> {
    await this.turn;
    await (this.client?.isRunning() ? handle(this.client) : this.clickStatus());
  }

  private async clickStatus(): Promise<void> {
    if (this.client === undefined) {
      await (this.hasFailed ? this.restart() : this.offerToInstall()); // who clicks may have mended it
    } else if (!this.client.isRunning()) {
      await this.restart();
    } else if (!(await this.runs.offerToCancel())) {
      this.log.show();
    }
  }

  private async offerToInstall(): Promise<void> {
    const configured = configuredPath();
    const where = configured
      ? `the setting afterburner.server.path names ${configured}: there is no such executable file, or the path is not absolute`
      : "the program afterburner-agent is neither in the project's environment nor on the PATH";
    // What the setting names counts in any workspace.
    const leavesOut = !configured && !workspace.isTrusted;
    const untrusted = leavesOut ? " (an environment in a workspace that is not trusted does not count)" : "";
    const choices = configured ? [CHOOSE] : [CHOOSE, INSTALL, NEVER]; // VS Code highlights the first
    const answer = await window.showWarningMessage(`Afterburner: ${where}${untrusted}.`, ...choices);
    await this.follow(answer);
  }

  private async tellFailedStart(program: string): Promise<void> {
    const message = `Afterburner: ${program} is not afterburner-agent, or does not start. The log says how it ended.`;
    const choices = configuredPath() ? [CHOOSE, SHOW_LOG, TRY_AGAIN] : [SHOW_LOG, INSTALL, CHOOSE, TRY_AGAIN]; // VS Code highlights the first
    await this.follow(await window.showErrorMessage(message, ...choices));
  }

  private async follow(answer: string | undefined): Promise<void> {
    if (answer === INSTALL) {
      await this.install();
    } else if (answer === CHOOSE) {
      // Where VS Code is connected to another machine, the settings of the user hide those of the machine.
      await (env.remoteName
        ? commands.executeCommand("workbench.action.openRemoteSettings", { query: "afterburner.server.path" })
        : commands.executeCommand("workbench.action.openSettings", "afterburner.server.path"));
    } else if (answer === NEVER) {
      await this.context.globalState.update(NEVER_ASK, true);
    } else if (answer === SHOW_LOG) {
      this.log.show();
    } else if (answer === TRY_AGAIN) {
      await this.restart();
    }
  }

  private async install(): Promise<void> {
    if (await installServer(this.context, this.log)) {
      await this.restart();
    }
  }
}
