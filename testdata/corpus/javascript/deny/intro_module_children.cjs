console.log(module.parent, module.children.length)
