import { request } from "undici";

const hello = await request("https://api.test.example:8443/v1/hello", { method: "POST", body: "hi" });
console.log(await hello.body.json());
const events = await request("https://api.test.example:8443/v1/events?id=undici");
for await (const chunk of events.body) {
  const n = Number(String(chunk).trim().slice(6));
  console.log("event", n);
  const seen = await request(`https://api.test.example:8443/v1/seen?id=undici&n=${n}`);
  await seen.body.text();
}
