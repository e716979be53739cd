# page-data.sh <PAGE: the data of a page of prof-html; doc/page.md says what it is.
sed -n 's/.*id="data" data-z="1">\([^<]*\)<.*/\1/p' | base64 -d | gzip -d
