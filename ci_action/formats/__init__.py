"""The report in the forms that people and programs read: Markdown, SARIF, JUnit."""
