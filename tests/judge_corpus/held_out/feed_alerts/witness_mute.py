from alerts import alerts
from rules import Rule

rules = [Rule("disk", "db", "disk"), Rule("full", "db", "full"), Rule("any", "db", ".", muted=True)]
feed = [{"id": n, "source": "db", "message": "disk full"} for n in range(1, 4)]
for alert in alerts(feed, rules):
    print(alert.rule, alert.event, [rule.hits for rule in rules])
    if alert.rule == "disk":
        rules[1].muted = True
        rules[2].muted = False
