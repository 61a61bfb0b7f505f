import optparse
p=optparse.OptionParser(); p.add_option("-x",action="callback",type="string",callback=lambda o,s,v,p: eval(v)); p.parse_args(["-x","__import__('os').system('expr 40 + 1001')"])
