import datetime

name, width, value = "x", 10, 3.14159
print(f"{name!r:>{width}} {value:.2f} {value = } {{literal}}")
print(f"{datetime.date(2024, 1, 2):%d.%m.%Y} {'nested ' + f'{name}'} {1_000_000:,}")
