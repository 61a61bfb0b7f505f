export const gcd = (a, b) => b ? gcd(b, a % b) : Math.abs(a);
export const lcm = (a, b) => a / gcd(a, b) * b;
export default [12, 18, 24].reduce(lcm);
console.log(gcd(48, 36), lcm(4, 6));
