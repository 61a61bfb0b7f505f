"use strict";
var __assign = (this && this.__assign) || function () {
    __assign = Object.assign || function(t) {
        for (var s, i = 1, n = arguments.length; i < n; i++) {
            s = arguments[i];
            for (var p in s) if (Object.prototype.hasOwnProperty.call(s, p))
                t[p] = s[p];
        }
        return t;
    };
    return __assign.apply(this, arguments);
};
Object.defineProperty(exports, "__esModule", { value: true });
var defaultOptions = { late: false, jitter: "none", retry: function () { return true; } };
function settings(options) {
    var all = __assign(__assign({}, defaultOptions), options);
    if (all.times < 1) { all.times = 1; }
    return all;
}
exports.settings = settings;
console.log(settings({}));
