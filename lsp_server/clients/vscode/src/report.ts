/** Shows the server's page with the evidence beside the code. A browser might be on another machine than the page. */
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { ColorThemeKind, Uri, ViewColumn, window } from "vscode";

/** Whether it is a page that the server has written. */
export function isReport(uri: Uri): boolean {
  return uri.scheme === "file" && uri.path.endsWith(".html");
}

/** Show a page. It forbids itself scripts and all that is not in it, and so does the panel. */
export async function showReport(uri: Uri): Promise<void> {
  const page = await readFile(uri.fsPath, "utf8");
  const title = /<title>([^<]*)<\/title>/.exec(page)?.[1] ?? basename(uri.fsPath);
  const panel = window.createWebviewPanel("afterburner.report", `Report: ${title}`, ViewColumn.Beside, {
    enableScripts: false,
    enableCommandUris: false,
    localResourceRoots: [],
  });
  panel.webview.html = page.replace("</head>", `<style>:root { color-scheme: ${colourScheme()}; }</style></head>`);
}

function colourScheme(): "dark" | "light" {
  const { kind } = window.activeColorTheme;
  return kind === ColorThemeKind.Dark || kind === ColorThemeKind.HighContrast ? "dark" : "light";
}
