// flame.js - zoom and search in the picture that prof-flame draws. Everything
// it knows it reads from the boxes; names only ever become text.
(() => {
	'use strict';
	const svg = document.documentElement;
	const margin = 10, padding = 3, advance = 7.3;
	const drawn = svg.viewBox.baseVal, atMost = drawn.width, height = drawn.height;
	let width = atMost - 2 * margin;
	// Boxes are drawn narrower than they are, by a gap of up to a pixel.
	const withGap = w => w >= 3 ? w + 1 : w / .75;
	const withoutGap = w => w - Math.min(1, w / 4);
	const detail = document.getElementById('d');
	const out = document.getElementById('out');
	const searchButton = document.getElementById('search');
	const buttons = [out, searchButton].map(b => [b, +b.getAttribute('x')]);
	const all = [...document.querySelectorAll('#f > g')].map(g => {
		const rect = g.querySelector('rect'), text = g.querySelector('text');
		return {
			g, rect, text,
			title: g.querySelector('title').textContent,
			x: +rect.getAttribute('x'), w: withGap(+rect.getAttribute('width')),
			y: +rect.getAttribute('y'), label: text ? text.textContent : '',
		};
	});
	if (!all.length)
		return;
	const root = all[0];
	// Boxes on one side of the root, or of a pivot on both sides.
	const side = b => Math.sign(b.y - root.y);
	const isPivot = all.some(b => side(b) < 0) && all.some(b => side(b) > 0);
	let zoomed = root, matched = '';

	const name = b => b.title.split('\n')[0].replace(/ \(inlined\)$/, '');
	const depth = b => Math.abs(b.y - root.y);
	const covers = (a, b) => b.x >= a.x - .01 && b.x + b.w <= a.x + a.w + .05;

	// What of a name fits: all, its later parts without marks of compilers' copies,
	// or both ends of the last one.
	function shorten(full, room) {
		let s = full.length <= room ? full : full.replace(/(\.(part|isra|constprop|cold|lto_priv|llvm|clone)(\.\d+)*|\.\d+)+$/, '');
		for (let m; s.length > room && (m = /^(?:.*\/|.*?(?:::|\.))(?=[\w~])/.exec(s));)
			s = s.slice(m[0].length);
		const front = Math.round(.42 * (room - 1));
		return s.length <= room ? s : s.slice(0, front) + '…' + s.slice(front + 1 - room);
	}

	function fit(b, w) {
		const room = Math.floor((w - 2 * padding) / advance);
		if (b.w === w)
			return b.label;
		return room < 3 ? '' : shorten(name(b), room);
	}

	function label(b, x, w) {
		const text = fit(b, w);
		if (!b.text && text && b.g.getAttribute('class').indexOf('c27') < 0) {
			b.text = document.createElementNS(svg.namespaceURI, 'text');
			b.text.setAttribute('y', b.y + 12.5);
			b.g.append(b.text);
		}
		if (!b.text)
			return;
		b.text.textContent = text;
		b.text.setAttribute('x', x + padding);
	}

	function show(b, x, w, isUp) {
		b.g.style.display = w > 0 ? '' : 'none';
		b.g.classList.toggle('up', isUp);
		b.rect.setAttribute('x', x);
		b.rect.setAttribute('width', withoutGap(w));
		label(b, x, w);
	}

	function zoom(to) {
		const scale = width / Math.max(to.w, .01), whole = width / (atMost - 2 * margin);
		zoomed = to;
		for (const b of all) {
			if (to === root)
				show(b, margin + (b.x - margin) * whole, b.w * whole, false);
			else if (b !== root && side(b) !== side(to))
				show(b, 0, 0, false);
			else if (depth(b) < depth(to) && covers(b, to))
				show(b, margin, width, true);
			else if (depth(b) >= depth(to) && covers(to, b))
				show(b, margin + (b.x - to.x) * scale, b.w * scale, false);
			else
				show(b, 0, 0, false);
		}
		out.style.display = to === root ? 'none' : 'inline';
		save();
	}

	// The share of what matches: boxes below another match count with it.
	function share(hits) {
		let sum = 0, reach = -1;
		hits.sort((a, b) => a.x - b.x || b.w - a.w);
		for (const b of hits) {
			const end = b.x + b.w;
			sum += Math.max(0, end - Math.max(reach, b.x));
			reach = Math.max(reach, end);
		}
		return (100 * sum / root.w).toFixed(2) + '%';
	}

	function told(hits) {
		if (!isPivot)
			return 'matched ' + share(hits);
		const [above, below] = [-1, 1].map(way => share(hits.filter(b => side(b) === way)));
		return `matched ${above} above, ${below} below`;
	}

	function search(pattern) {
		let re = null;
		matched = pattern;
		try {
			re = pattern ? new RegExp(pattern, /[A-Z]/.test(pattern) ? '' : 'i') : null;
		} catch (e) {
			re = new RegExp(pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i');
		}
		const hits = [];
		for (const b of all) {
			const hit = re && b !== root && re.test(name(b));
			b.g.classList.toggle('s', !!hit);
			b.g.classList.toggle('off', !!re && !hit);
			if (hit)
				hits.push(b);
		}
		detail.textContent = re ? told(hits) : ' ';
		searchButton.textContent = re ? 'Clear' : 'Search';
		save();
	}

	const idle = () => matched ? detail.textContent : ' ';
	let rest = ' ';

	// A short number for the name of a box, in every picture the same.
	function idOf(b) {
		let h = 2166136261;
		for (const byte of b.id ? [] : new TextEncoder().encode(name(b)))
			h = Math.imul(h ^ byte, 16777619) >>> 0;
		return b.id = b.id || h.toString(36);
	}

	// A link has the names on the way, so it holds for a later picture, too; '-'
	// is the side above a pivot.
	function pathOf(b) {
		const way = all.filter(a => a !== root && side(a) === side(b) && depth(a) <= depth(b) && covers(a, b));
		return (side(b) < 0 && isPivot ? '-' : '') + way.sort((a, c) => depth(a) - depth(c)).map(idOf).join('.');
	}

	// The box at a path, or as far as it goes.
	function boxAt(path) {
		const parts = path.split('.');
		let at = root;
		parts.forEach((part, i) => {
			const way = parts.slice(0, i + 1).join('.');
			const next = all.find(b => idOf(b) === part.replace('-', '') && b !== root && covers(at, b) && pathOf(b) === way);
			at = next || at;
		});
		return at;
	}

	function save() {
		const parts = [];
		if (zoomed !== root)
			parts.push('z=' + pathOf(zoomed));
		if (matched)
			parts.push('q=' + encodeURIComponent(matched));
		try {
			history.replaceState(null, '', '#' + parts.join('&'));
		} catch (e) {
			// A viewer that keeps no address: nothing is lost but the link.
		}
	}

	function restore() {
		const state = new URLSearchParams(location.hash.slice(1));
		const q = state.get('q');
		if (state.get('z'))
			zoom(boxAt(state.get('z')));
		if (q)
			search(q);
	}

	function ask() {
		search(matched ? '' : prompt('Search for a regular expression', '') || '');
		rest = idle();
	}

	// As wide as the window: boxes are, letters stay as they are.
	function resize() {
		const room = Math.max(300, innerWidth - (height > innerHeight ? 16 : 0));
		svg.setAttribute('width', room);
		svg.setAttribute('viewBox', `0 0 ${room} ${height}`);
		for (const [button, x] of buttons)
			button.setAttribute('x', x + room - atMost);
		width = room - 2 * margin;
		zoom(zoomed);
	}

	const boxOf = e => {
		const g = e.target.closest ? e.target.closest('#f > g') : null;
		return g ? all.find(b => b.g === g) : null;
	};
	svg.addEventListener('click', e => {
		const b = boxOf(e);
		if (b)
			zoom(b);
		else if (e.target === out)
			zoom(root);
		else if (e.target === searchButton)
			ask();
	});
	svg.addEventListener('mouseover', e => {
		const b = boxOf(e);
		detail.textContent = b ? b.title.replace('\n', '  ') : rest;
	});
	document.addEventListener('keydown', e => {
		if (e.key === 'Escape')
			zoom(root);
		else if (e.key === '/')
			ask();
		else
			return;
		e.preventDefault();
	});
	svg.classList.add('on');
	searchButton.style.display = 'inline';
	restore();
	resize();
	addEventListener('resize', resize);
	rest = idle();
})();
