// dom.mjs - elements, made so that names can only become text.

function byId(id) {
	return document.getElementById(id);
}

// element('td', {class: 'n', title: s}, text or elements...)
function element(tag, attributes, ...children) {
	const e = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes || {}))
		if (value !== null && value !== undefined && value !== false)
			e.setAttribute(name, value === true ? '' : value);
	e.append(...children.filter(c => c !== null && c !== undefined));
	return e;
}

function button(text, attributes, act) {
	const b = element('button', {type: 'button', ...attributes}, text);
	on(b, 'click', act);
	return b;
}

// A square in a colour; what it means is always said in words, too.
function swatch(colour) {
	const s = element('span', {class: 'swatch', 'aria-hidden': 'true'});
	s.style.background = colour;
	return s;
}

// Why there is nothing to see.
function emptyNote(text) {
	return element('p', {class: 'empty'}, text);
}

function numberCells(texts) {
	return texts.map(text => element('td', {class: 'n'}, text));
}

// A table of numbers and, in the last column, names. caption may be missing.
function numberTable(heads, last, body, caption) {
	return element('table', {class: 'keys'}, caption && element('caption', {class: 'hidden'}, caption), element('thead', {}, element('tr', {},
		...heads.map(h => element('th', {scope: 'col', class: 'n'}, h)), element('th', {scope: 'col'}, last))), body);
}

// run(event) at each event of a type.
function on(e, type, run, options) {
	e.addEventListener(type, run, options);
}

// Give an element a property; an equal one would still cost a layout.
function put(e, name, value) {
	if (e[name] !== value)
		e[name] = value;
}

// Run after the next frame is on the screen.
function afterPaint(run) {
	requestAnimationFrame(() => setTimeout(run));
}

export {afterPaint, button, byId, element, emptyNote, numberCells, numberTable, on, put, swatch};
