from datetime import date, datetime, timedelta, timezone

start = date(2024, 1, 31)
print((start + timedelta(days=30)).isoformat(), start.strftime("%A"))
now = datetime.now(timezone.utc)
print(now.year >= 2024, datetime.strptime("2024-05-01", "%Y-%m-%d").weekday())
