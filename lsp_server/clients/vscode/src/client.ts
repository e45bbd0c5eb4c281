/** The language client: what it tells the server, and what it shows of its answers. */
import { ExtensionContext, LogOutputChannel, Uri, window, workspace } from "vscode";
import {
  CloseAction,
  CloseHandlerResult,
  ConfigurationItem,
  ErrorAction,
  ExecuteCommandRequest,
  LanguageClient,
  LanguageClientOptions,
  MessageTransports,
  MessageType,
  RevealOutputChannelOn,
  ShowMessageNotification,
  ShowMessageParams,
} from "vscode-languageclient/node";
import { chosenInterpreter } from "./interpreter";
import { isReport, showReport } from "./report";
import { Runs } from "./runs";
import { explicitSettings, SECTION, serverSettingNames, Settings, vouchedSettings } from "./settings";

const MOST_RESTARTS = 3;
const ONE_LINE = 60; // characters
const EXITED = "Server process exited"; // how the library's own lines about the end of a program begin
const DOCUMENTS = ["file", "untitled", "vscode-notebook-cell"].map((scheme) => ({ language: "python", scheme }));

/** What is said of this workspace and its user once, when a server starts; only what a workspace cannot have set. */
export function initializationOptions(context: ExtensionContext): Settings {
  return { ...vouchedSettings(context), trusted: workspace.isTrusted };
}

/** Show a message of the server whole: VS Code cuts one to a line unless it has a button. */
function showMessage({ type, message }: ShowMessageParams): void {
  const buttons = message.length > ONE_LINE ? ["OK"] : [];
  if (type === MessageType.Error) {
    void window.showErrorMessage(message, ...buttons);
  } else if (type === MessageType.Warning) {
    void window.showWarningMessage(message, ...buttons);
  } else {
    void window.showInformationMessage(message, ...buttons);
  }
}

/** A client that only logs its errors until its server has run: the extension itself says that a program is no server. */
class QuietClient extends LanguageClient {
  private hasRun = false;
  private isStopped = false; // on purpose, by the extension

  constructor(
    private readonly command: string[],
    private readonly log: LogOutputChannel,
    options: LanguageClientOptions,
  ) {
    const [program = "", ...args] = command;
    super(SECTION, "Afterburner", { command: program, args }, options);
  }

  /** Start the program, and keep in the log how it ends: an error of the connection does not say that. */
  protected override async createMessageTransports(encoding: string): Promise<MessageTransports> {
    const words = this.command.join(" ");
    this.log.info(`starting ${words}`);
    const transports = await super.createMessageTransports(encoding);
    this.serverProcess?.once("exit", (code, signal) => {
      const how = code === null ? `by ${signal}` : `with exit code ${code}`;
      this.log.info(this.isStopped ? `the server was stopped on purpose; it ended ${how}` : `${words} ended ${how}`);
    });
    return transports;
  }

  /** Stop the program. One that is slow to end is killed two seconds later, when the next one may run already. */
  override async dispose(timeout?: number): Promise<void> {
    this.isStopped = true;
    await super.dispose(timeout);
  }

  override async start(): Promise<void> {
    await super.start();
    if (!this.isRunning()) {
      throw new Error("the program ended while it was asked to start"); // which the library does not count as a failure
    }
    this.hasRun = true;
    this.onNotification(ShowMessageNotification.type, showMessage); // in place of the library's
  }

  override error(message: string, data?: unknown, showNotification?: boolean | "force"): void {
    if (this.isStopped && message.startsWith(EXITED)) {
      return; // no error, and said with the cause
    }
    super.error(message, data, this.hasRun && showNotification);
  }
}

/** A client of a server that is not started yet. */
export function createClient(
  context: ExtensionContext,
  program: string,
  runs: Runs,
  log: LogOutputChannel,
): LanguageClient {
  const names = serverSettingNames(context);
  let ends = 0;
  const options: LanguageClientOptions = {
    documentSelector: DOCUMENTS,
    initializationOptions: () => initializationOptions(context),
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue }),
      closed: () => {
        const lost = runs.clear();
        if (lost.length > 0) {
          void window.showWarningMessage(`Afterburner: the server stopped during: ${lost.join(", ")}. Run it again.`);
        }
        return afterEnd(client.initializeResult !== undefined, ++ends);
      },
    },
    outputChannel: log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    middleware: {
      // Progress of the client itself stays in the status bar, where nobody could cancel it.
      handleWorkDoneProgress: (token, params, next) => {
        runs.show(token, params);
        if (params.kind === "end") {
          next(token, params);
        }
      },
      executeCommand: async (command, args) => {
        try {
          return await client.sendRequest(ExecuteCommandRequest.type, { command, arguments: args });
        } catch (error) {
          void window.showErrorMessage(`Afterburner: ${error instanceof Error ? error.message : error}`);
          return undefined;
        }
      },
      window: {
        showDocument: async (params, token, next) => {
          const uri = Uri.parse(params.uri);
          if (!params.external || !isReport(uri)) {
            return next(params, token);
          }
          await showReport(uri);
          return { success: true };
        },
      },
      workspace: {
        configuration: ({ items }) => Promise.all(items.map((item) => answer(item, names))),
      },
    },
  };
  const client = new QuietClient([program, "lsp", "--stdio"], log, options);
  return client;
}

async function answer({ scopeUri, section }: ConfigurationItem, names: string[]): Promise<Settings | null> {
  if (section !== SECTION) {
    return null;
  }
  const scope = scopeUri === undefined ? undefined : Uri.parse(scopeUri);
  const python = await chosenInterpreter(scope);
  return { ...(python && { python }), ...explicitSettings(names, scope) };
}

/** What to do when the server has ended: one that never ran is told of where it was started. */
function afterEnd(hasRun: boolean, ends: number): CloseHandlerResult {
  if (!hasRun) {
    return { action: CloseAction.DoNotRestart, handled: true };
  }
  return ends <= MOST_RESTARTS
    ? { action: CloseAction.Restart }
    : { action: CloseAction.DoNotRestart, message: 'The server of Afterburner keeps ending. The log says why. "Restart Server" starts it.' };
}
