console.log((() => {})['\x63onstructor']('return 1')())
