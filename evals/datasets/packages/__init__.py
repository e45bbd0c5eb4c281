"""What `run DIR --model rules` finds in packages that others wrote, with their own tests as the judge."""
