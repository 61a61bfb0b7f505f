const log = '2024-05-06 ERROR db: connection refused\n2024-05-06 INFO web: ok';
const line = /^(?<date>\S+) (?<level>[A-Z]+) (?<source>\w+): (?<message>.*)$/gm;
for (const { groups: { date, level, source, message } } of log.matchAll(line)) console.log({ date, level, source, message });
