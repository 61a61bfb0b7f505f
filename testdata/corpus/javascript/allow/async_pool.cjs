async function pool(tasks, size) {
  const results = [];
  let next = 0;
  const worker = async () => { while (next < tasks.length) { const i = next++; results[i] = await tasks[i](); } };
  await Promise.all(Array.from({ length: size }, worker));
  return results;
}
pool([1, 2, 3, 4].map(n => async () => n * n), 2).then(console.log);
