import xml.etree.ElementTree as ET

root = ET.fromstring("<a><b x='1'>t</b><b x='2'/></a>")
for b in root.iter("b"):
    print(b.get("x"), b.text)
print(ET.tostring(root, encoding="unicode"))
