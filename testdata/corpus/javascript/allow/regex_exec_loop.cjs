const re = /(\w+)=(\d+)/g;
let m;
while ((m = re.exec('a=1;b=22;c=333')) !== null) {
  console.log(m.index, m[1], Number(m[2]), re.lastIndex);
}
