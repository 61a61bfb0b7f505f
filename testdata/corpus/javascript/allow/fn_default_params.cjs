const box = ({ width = 1, height = width, style: { color = 'red' } = {} } = {}, [x = 0, y = x] = []) => `${width}x${height} ${color} ${x},${y}`;
console.log(box(), box({ width: 3, style: { color: 'blue' } }, [5]));
