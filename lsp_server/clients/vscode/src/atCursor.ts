/** The commands of the palette: what the light bulb offers at the cursor, without opening it. */
import { CodeAction, commands, window } from "vscode";

const KIND = "refactor.rewrite.afterburner";
const NONE: Record<string, string> = {
  apply: "no proven rewrite waits for the function at the cursor.",
  hottest: "this file does not have several functions.",
  prove: "place the cursor inside a function of a saved file. A new file or a notebook cannot be compared with a commit.",
  profile: "hints are off. The setting afterburner.hints turns them on.",
};

/** What the server's commands take. */
interface Named {
  uri: string;
  function: string;
}

/** Choose the action of a kind at the cursor: `time`, `memory`, `prove`, …; `below` is what the kind begins with. */
export async function chooseAction(what: string, below = KIND): Promise<void> {
  const command = (await actionAtCursor(what, below))?.command;
  if (command !== undefined) {
    await commands.executeCommand(command.command, ...(command.arguments ?? []));
  }
}

/** Show the evidence for the function at the cursor. */
export async function showReportAtCursor(): Promise<void> {
  const named = (await actionAtCursor("time"))?.command?.arguments?.[0] as Named | undefined;
  if (named !== undefined) {
    await commands.executeCommand("afterburner.report", { uri: named.uri, function: named.function });
  }
}

/** The action; undefined if there is none, and the user has been told why. */
async function actionAtCursor(what: string, below = KIND): Promise<CodeAction | undefined> {
  const editor = window.activeTextEditor;
  if (editor === undefined) {
    void window.showInformationMessage("Afterburner: open a Python file, and place the cursor inside a function.");
    return undefined;
  }
  const kind = `${below}.${what}`;
  const found = await commands.executeCommand<CodeAction[]>(
    "vscode.executeCodeActionProvider",
    editor.document.uri,
    editor.selection,
    kind,
  );
  const action = found.find((each) => each.kind?.value === kind);
  if (action === undefined || action.disabled !== undefined) {
    const why = action?.disabled?.reason ?? NONE[what] ?? "place the cursor inside a function that can be optimized.";
    void window.showInformationMessage(`Afterburner: ${why}`);
    return undefined;
  }
  return action;
}
