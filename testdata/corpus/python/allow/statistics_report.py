import statistics as st

data = [2, 4, 4, 4, 5, 5, 7, 9]
print(st.mean(data), st.pstdev(data), st.median(data), st.mode(data), st.quantiles(data, n=4))
