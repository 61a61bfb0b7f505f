// expect: deny house/banned-library
import leftPad from "left-pad";

console.log(leftPad("1", 3));
