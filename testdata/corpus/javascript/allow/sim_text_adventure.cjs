const rooms = { hall: { north: 'attic', text: 'A hall.' }, attic: { south: 'hall', text: 'An attic.' } };
let here = 'hall';
for (const cmd of ['north', 'west', 'south']) { const to = rooms[here][cmd]; if (to) here = to; console.log(cmd, to ? rooms[here].text : 'no way'); }
