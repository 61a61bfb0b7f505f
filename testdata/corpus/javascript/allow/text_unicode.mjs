const s = 'naïve café 👩‍👩‍👧 日本';
const seg = new Intl.Segmenter('en', { granularity: 'grapheme' });
console.log([...seg.segment(s)].length, [...s].length, s.length, s.codePointAt(11), encodeURIComponent('日'));
