import https from "node:https";

function ask(path, options = {}) {
  return new Promise((done, failed) => {
    https
      .request(`https://api.test.example:8443/v1/${path}`, options, done)
      .on("error", failed)
      .end(options.body);
  });
}
async function text(r) {
  let all = "";
  for await (const chunk of r) all += chunk;
  return all;
}

console.log(await text(await ask("hello", { method: "POST", body: "hi" })));
for await (const chunk of await ask("events?id=https")) {
  const n = Number(String(chunk).trim().slice(6));
  console.log("event", n);
  await text(await ask(`seen?id=https&n=${n}`));
}
