import axios from "axios";

console.log((await axios.post("https://api.test.example:8443/v1/hello", "hi")).data);
const events = await axios.get("https://api.test.example:8443/v1/events?id=axios", { responseType: "stream" });
for await (const chunk of events.data) {
  const n = Number(String(chunk).trim().slice(6));
  console.log("event", n);
  await axios.get(`https://api.test.example:8443/v1/seen?id=axios&n=${n}`);
}
