from alerts import alerts
from rules import Rule


def feed():
    for number, message in enumerate(("disk full", "all well", "disk full again"), 1):
        print("event", number, "taken")
        yield {"id": number, "source": "db", "message": message}


for alert in alerts(feed(), [Rule("disk", "db", "disk")]):
    print("alert", alert.rule, alert.event)
