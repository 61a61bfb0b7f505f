const user = { profile: { tags: null }, greet: name => `hi ${name}` };
console.log(user?.profile?.tags?.[0] ?? 'none', user.greet?.('x'), user.missing?.(), user.a?.b.c.d);
let x = null; x ??= 5; x ||= 6; x &&= 7; console.log(x);
