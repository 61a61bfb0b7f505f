from decimal import ROUND_HALF_UP, Decimal, getcontext

getcontext().prec = 28
price = Decimal("19.99") * 3
print(price.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP))
