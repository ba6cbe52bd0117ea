// Chunks of CommonJS that load what they require when it is first used, and are ASCII, which Node reads at once.
import { compileFunction } from 'node:vm';

/** `x=require("./x.js")` */
const CHUNK = /([\w$]+)=(require\("(?:\.\/|node:)[^"]+"\))(?=[,;])/g;

/** A module that was CommonJS by origin, in this chunk or another: `import_x=helper.a(require_x(),1)`, `import_x=chunk().t()` */
const MODULE =
  /(?<=(?:\b(?:var|let|const) |,))(import_[\w$]+)=((?:\/\* @__PURE__ \*\/ )?(?:\w+\.\w+\()?require_[\w$]+\(\)(?:\.\w+\(\))?(?:(?:,1)?\))?)(?=[,;])/g;

/**
 * Turns `const x=require("./x.js"); … x.member …` into `const x=(…)(); … x().member …`. What is used while the chunk is evaluated is loaded
 * then. Expects code without line breaks that end a statement, as a minifier writes it.
 *
 * @throws SyntaxError when something else came of it.
 */
export function loadedWhenUsed(code) {
  const late = asciiOnly(whenUsed(whenUsed(code, CHUNK), MODULE));
  compileFunction(late, ['exports', 'require', 'module', '__filename', '__dirname']);
  return late;
}

function whenUsed(code, given) {
  let late = code;
  for (const [whole, name, expression] of code.matchAll(given)) {
    const escaped = name.replaceAll('$', '\\$');
    const [before, after, ...others] = late.split(whole);
    // Given anew, as where the bundler wraps what stands in for a default export; or used otherwise than by its members.
    const isGivenAnew = (late.match(new RegExp(`(?<![\\w$.])${escaped}=`, 'g')) ?? []).length > 1;
    if (after === undefined || others.length > 0 || isGivenAnew || new RegExp(`[{,] ?${escaped}[,;}]`).test(before + after)) continue;
    const uses = new RegExp(`(\\bnew )?(?<![\\w$]|(?<!\\.\\.)\\.)${escaped}(?![\\w$])`, 'g');
    const called = (text) => text.replaceAll(uses, (_, isNew) => (isNew ? `new (${name}())` : `${name}()`));
    late = `${called(before)}${name}=(m=>()=>m??=${expression})()${called(after)}`;
  }
  return late;
}

/** In texts, patterns and names alike an escape stands for the character. */
function asciiOnly(code) {
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
