import got from "got";

console.log(await got.post("https://api.test.example:8443/v1/hello", { body: "hi" }).json());
for await (const chunk of got.stream("https://api.test.example:8443/v1/events?id=got")) {
  const n = Number(String(chunk).trim().slice(6));
  console.log("event", n);
  await got(`https://api.test.example:8443/v1/seen?id=got&n=${n}`);
}
