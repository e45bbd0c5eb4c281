/** The commands of the palette: what the light bulb offers at the cursor, without opening it. */
import { CodeAction, commands, TextEditor, window } from "vscode";
import { CodeActionRequest, LanguageClient } from "vscode-languageclient/node";

const KIND = "refactor.rewrite.afterburner";
const OF_FUNCTION = ["time", "memory", "integral", "prove"];
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
export async function chooseAction(client: LanguageClient, what: string, below = KIND): Promise<void> {
  const command = (await actionAtCursor(client, what, below))?.command;
  if (command !== undefined) {
    await commands.executeCommand(command.command, ...(command.arguments ?? []));
  }
}

/** Show the evidence for the function at the cursor; the server takes the latest run if that has none. */
export async function showReportAtCursor(client: LanguageClient): Promise<void> {
  const editor = window.activeTextEditor;
  const action = editor && (await findAction(editor, `${KIND}.time`));
  const named = action?.command?.arguments?.[0] as Named | undefined;
  const uri = named?.uri ?? (editor && client.code2ProtocolConverter.asUri(editor.document.uri));
  await commands.executeCommand("afterburner.report", { uri, function: named?.function });
}

/** The action; undefined if there is none, and the user has been told why. */
async function actionAtCursor(client: LanguageClient, what: string, below = KIND): Promise<CodeAction | undefined> {
  const editor = window.activeTextEditor;
  if (editor === undefined) {
    void window.showInformationMessage("Afterburner: open a Python file, and place the cursor inside a function.");
    return undefined;
  }
  const kind = `${below}.${what}`;
  const action = await findAction(editor, kind);
  if (action === undefined) {
    const disabled = OF_FUNCTION.includes(what) ? await whyDisabled(client, editor) : undefined;
    const why = disabled ?? NONE[what] ?? "place the cursor inside a function that can be optimized.";
    void window.showInformationMessage(`Afterburner: ${why}`);
  }
  return action;
}

async function findAction(editor: TextEditor, kind: string): Promise<CodeAction | undefined> {
  const found = await commands.executeCommand<CodeAction[]>(
    "vscode.executeCodeActionProvider",
    editor.document.uri,
    editor.selection,
    kind,
  );
  return found.find((each) => each.kind?.value === kind && each.disabled === undefined);
}

/** Why nothing can be done for the function at the cursor, in the server's words: VS Code leaves out what is disabled. */
async function whyDisabled(client: LanguageClient, editor: TextEditor): Promise<string | undefined> {
  const found = await client.sendRequest(CodeActionRequest.type, {
    textDocument: client.code2ProtocolConverter.asTextDocumentIdentifier(editor.document),
    range: client.code2ProtocolConverter.asRange(editor.selection),
    context: { diagnostics: [], only: [`${KIND}.time`] },
  });
  return found?.flatMap((each) => ("disabled" in each && each.disabled ? [each.disabled.reason] : []))[0];
}
