/** The runs that wait or go on: a notification for the one that goes on, and one item in the status bar for all. */
import { Disposable, ProgressLocation, StatusBarAlignment, StatusBarItem, ThemeColor, window } from "vscode";
import { ProgressToken, WorkDoneProgressBegin, WorkDoneProgressEnd, WorkDoneProgressReport } from "vscode-languageclient/node";

const BEST = /best ([\d.,]+x)/; // in a message of progress
const ASKS = /^waiting for your answer/; // likewise
const WAITS = "waiting"; // likewise, of a run in the queue
const STATUS_COMMAND = "afterburner.status";

interface Run {
  title: string;
  message: string;
  best: string;
  ended: Promise<void>;
  report(message?: string, percentage?: number): void;
  end(): void;
}

/** A message that waits for an answer, with where VS Code puts a question that has hidden itself. */
function withPlace(message?: string): string | undefined {
  return message !== undefined && ASKS.test(message) ? `${message} (the bell, bottom right)` : message;
}

export class Runs implements Disposable {
  private readonly runs = new Map<ProgressToken, Run>();
  private readonly item: StatusBarItem = window.createStatusBarItem("afterburner", StatusBarAlignment.Left);
  private problem = "";

  /** `cancel` tells the server to end a run. */
  constructor(private readonly cancel: (token: ProgressToken) => void) {
    this.item.name = "Afterburner";
    this.item.command = STATUS_COMMAND;
    this.draw();
    this.item.show();
  }

  /** Show a message of progress of the server. */
  show(token: ProgressToken, value: WorkDoneProgressBegin | WorkDoneProgressReport | WorkDoneProgressEnd): void {
    if (value.kind === "begin") {
      this.begin(token, value);
    } else if (value.kind === "report") {
      this.runs.get(token)?.report(withPlace(value.message), value.percentage);
    } else {
      this.runs.get(token)?.end();
    }
    this.draw();
  }

  /** Resolves when no run waits or goes on. */
  async whenIdle(): Promise<void> {
    await Promise.all([...this.runs.values()].map((run) => run.ended));
  }

  /** End all of them: their server is gone. The titles of those that had not ended. */
  clear(): string[] {
    const titles = [...this.runs.values()].map((run) => run.title);
    this.runs.forEach((run) => run.end());
    this.draw();
    return titles;
  }

  /** Why there is no server; empty: there is one. */
  setProblem(problem: string): void {
    this.problem = problem;
    this.draw();
  }

  /** Let the user choose a run to cancel. Whether there was one to choose from. */
  async offerToCancel(): Promise<boolean> {
    if (this.runs.size === 0) {
      return false;
    }
    const items = [...this.runs].map(([token, run]) => ({
      label: `$(debug-stop) Cancel: ${run.title}`,
      detail: run.message,
      token,
    }));
    const chosen = await window.showQuickPick(items, { title: "Afterburner", placeHolder: "Choose a run to cancel" });
    if (chosen !== undefined) {
      this.cancel(chosen.token);
    }
    return true;
  }

  dispose(): void {
    this.clear();
    this.item.dispose();
  }

  /** A run that has to wait is shown in the status bar alone until its turn comes, so that it hides no other. */
  private begin(token: ProgressToken, { title, message = "" }: WorkDoneProgressBegin): void {
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      end = () => {
        this.runs.delete(token);
        resolve();
      };
    });
    const report = (said = run.message, percentage?: number): void => {
      run.message = said;
      this.notify(token, run);
      run.report(said, percentage);
    };
    const run: Run = { title, message, best: "", ended, end, report };
    this.runs.set(token, run);
    const [current] = this.runs.values();
    if (current === run || message !== WAITS) {
      run.report(message);
    } else {
      current?.report(); // it tells how many wait
    }
  }

  /** Open the notification of a run, which the next reports go to. */
  private notify(token: ProgressToken, run: Run): void {
    run.report = () => undefined;
    void window.withProgress(
      { location: ProgressLocation.Notification, title: run.title, cancellable: true },
      (progress, cancelled) => {
        cancelled.onCancellationRequested(() => this.cancel(token));
        let shown = 0;
        run.report = (said = run.message, percentage = shown) => {
          const waiting = this.runs.size > 1 ? ` (${this.runs.size - 1} waiting)` : "";
          progress.report({ message: said + waiting, increment: Math.max(0, percentage - shown) });
          shown = Math.max(shown, percentage);
          run.message = said;
          run.best = BEST.exec(said)?.[1] ?? run.best;
        };
        run.report();
        return run.ended;
      },
    );
  }

  private draw(): void {
    const [current, ...waiting] = this.runs.values();
    this.item.backgroundColor = this.problem ? new ThemeColor("statusBarItem.warningBackground") : undefined;
    if (current !== undefined) {
      const best = current.best && `: best ${current.best}`;
      this.item.text = `$(sync~spin) ${current.title}${best}${waiting.length ? `, ${waiting.length} waiting` : ""}`;
      this.item.tooltip = `${current.message}\nClick to cancel.`;
    } else {
      this.item.text = this.problem ? "$(warning) Afterburner" : "$(flame) Afterburner";
      this.item.tooltip = this.problem ? `${this.problem} Click for what to do.` : "No run. Click for the log.";
    }
  }
}
