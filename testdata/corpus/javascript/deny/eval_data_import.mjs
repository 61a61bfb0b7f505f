const m = await import('data:text/javascript;base64,' + btoa('export default eval("1")')); console.log(m.default)
