(function(){
var all=function(what){return Array.prototype.slice.call(document.querySelectorAll(what))};
var open=function(yes){all('details').forEach(function(it){it.open=yes})};
var go=function(by){
var stays=all('.stay'),at=stays.indexOf(document.activeElement.closest('.stay'));
var to=stays[Math.min(stays.length-1,Math.max(0,at+by))];
if(to){to.focus();to.scrollIntoView()}
};
addEventListener('beforeprint',function(){open(true)});
addEventListener('keydown',function(event){
if(event.ctrlKey||event.metaKey||event.altKey)return;
if(event.key==='j')go(1);
if(event.key==='k')go(-1);
if(event.key==='e')open(all('details').some(function(it){return !it.open}));
});
})();
