// dom.mjs - elements, made so that names can only become text.

function byId(id) {
	return document.getElementById(id);
}

// element('td', {class: 'n', title: s} or 'class', text or elements...)
function element(tag, attributes, ...children) {
	const e = document.createElement(tag);
	for (const [name, value] of Object.entries(typeof attributes === 'string' ? {class: attributes || null} : attributes || {}))
		if (value !== null && value !== undefined && value !== false)
			e.setAttribute(name, value === true ? '' : value);
	e.append(...children.filter(c => c !== null && c !== undefined));
	return e;
}

function button(text, attributes, act) {
	const b = element('button', attributes, text);
	on(b, 'click', act);
	return b;
}

// Drawn on 16 by 16.
const iconPaths = {flip: 'M5 13V3M2.5 5.5 5 3l2.5 2.5M11 3v10M8.5 10.5 11 13l2.5-2.5', theme: 'M13.2 9.6A5.8 5.8 0 0 1 6.4 2.8a5.8 5.8 0 1 0 6.8 6.8Z', help: 'M5.8 6a2.2 2.2 0 1 1 3.2 2c-.8.4-1 .8-1 1.6M8 12.4v.1',
	flame: 'M2 3h12M2 6.5h9M2 10h6M2 13.5h3', functions: 'M2 4h12M2 8h8M2 12h5', source: 'M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5', graph: 'M3 2.5h4v3H3zM9 10.5h4v3H9zM5 5.5v6.5h4', more: 'M3 8h.01M8 8h.01M13 8h.01',
	find: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.5 10.5 14 14', warn: 'M8 2 14.5 13.5h-13ZM8 6.5v3.2M8 11.7v.1'};
const barShare = 94;
const svgSpace = 'http://www.w3.org/2000/svg';

function svgElement(tag, attributes, ...children) {
	const e = document.createElementNS(svgSpace, tag);
	for (const [name, value] of Object.entries(attributes))
		e.setAttribute(name, value);
	e.append(...children.filter(c => c));
	return e;
}

function icon(name) {
	return svgElement('svg', {viewBox: '0 0 16 16', class: 'icon', 'aria-hidden': 'true'}, svgElement('path', {d: iconPaths[name]}));
}

// A square in a colour; what it means is always said in words, too.
function swatch(colour) {
	const s = element('span', {class: 'sw', 'aria-hidden': 'true'});
	s.style.backgroundColor = colour;
	return s;
}

// A part of a view below its title.
function section(title, ...parts) {
	return element('section', '', element('h2', '', ...[title].flat()), ...parts);
}

// A table with a caption for those who do not see what it stands below.
function captioned(kind, caption, ...parts) {
	return element('table', kind, element('caption', 'hidden', caption), ...parts);
}

// The head of a table.
function headRow(heads, ...more) {
	return element('thead', '', element('tr', '', ...heads.map(h => element('th', {scope: 'col'}, h)), ...more));
}

// An amount in a cell: its text over a bar, as wide as its share of the cell.
function barCell(kind, share, text, attributes) {
	const b = element('i', 'b ' + kind);
	b.style.width = (share < Infinity ? Math.min(1, share) : 0) * barShare + '%';
	return element('td', attributes, b, element('span', 'v', text));
}

// Why there is nothing to see.
function emptyNote(text) {
	return element('p', 'empty', text);
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

// No key that a browser has its own use for.
function isPlainKey(e) {
	return !e.ctrlKey && !e.metaKey && !e.altKey;
}

// Run after the next frame is on the screen.
function afterPaint(run) {
	requestAnimationFrame(() => setTimeout(run));
}

export {afterPaint, barCell, button, byId, captioned, element, emptyNote, headRow, icon, isPlainKey, on, put, section, svgElement, swatch};
