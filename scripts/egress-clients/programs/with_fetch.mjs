const api = "https://api.test.example:8443/v1";
const r = await fetch("https://api.test.example:8443/v1/hello", { method: "POST", body: "hi" });
console.log(await r.json());
const denied = await fetch("https://api.test.example:8443/elsewhere");
console.log(denied.status, (await denied.json()).reason);
const events = await fetch("https://api.test.example:8443/v1/events?id=fetch");
for await (const text of events.body.pipeThrough(new TextDecoderStream())) {
  const n = Number(text.trim().slice(6));
  console.log("event", n);
  await fetch(`${api}/seen?id=fetch&n=${n}`);
}
