/*! svc-sdk 0.1.0 | Apache-2.0 */
(()=>{"use strict";
class A extends Error{constructor(a,b){super(a);this.name=new.target.label;if(b!==undefined)Object.defineProperty(this,"cause",{value:b,configurable:true})}}
A.label="SvcError";
class L extends A{}
L.label="SvcAuthError";
class C extends A{constructor(a,b,c,d,e,f){super(b);this.status=a;this.body=c;this.retryAfter=d;this.method=e;this.path=f}toString(){return`[${this.status}] ${this.message}`}}
C.label="SvcApiError";
class D extends A{constructor(a,b,c=false){super(a,b);this.timeout=c}}
D.label="SvcConnectionError";
let AS=new TextEncoder(),
F=a=>AS.encode(a),
G=a=>a.replace(/[A-Z]+/g,a=>a.toLowerCase());
function R(a){let b=2166136261;for(let c of F(a))b=Math.imul(b^c,16777619);return(b>>>0).toString(16).padStart(8,"0")}
function AT(a){let b=a.trim().replace(/\/+$/,"");return/^https?:\/\//i.test(b)?b:null}
function AU(a){let[,b,c]=/^(.*?):\/\/([^/?#]*)/s.exec(a.trim())||[];if(b===undefined)return G(a.trim());let d=G(b+"://"+c.replace(/^.*@/s,""));return d.replace(/:$/,"").replace(/^(http:.*):80$|^(https:.*):443$/s,"$1$2")}
let AV=(a,b)=>R(AU(a))+"-"+(G((b||"").trim())||"default");
function S(a,b){let c=new Date(a+b*1000),d=isNaN(+c)?"":c.toISOString();if(b%60||d.length!==24)return null;let e=Math.abs(b/60),f=a=>String(a).padStart(2,"0");return d.slice(0,23)+(b<0?"-":"+")+f(Math.floor(e/60))+":"+f(e%60)}
let H=a=>(a||"").replace(/[^!-~]+/g," ").trim().slice(0,32).trim()||null,
AW=a=>/^\.{0,2}$/.test(a)?null:encodeURIComponent(a);
function AX(a,b){let c=(a||"").trim();if(/^\d+$/.test(c))return+c;let d=/^[A-Za-z]+,? /.test(c)?Date.parse(c):NaN;return isNaN(d)?null:Math.max(0,Math.ceil(d/1000-b))}
function T(a,b,c,d,e,f=0){let g=/^(50[234]|dns|connect|connect_timeout|tls_handshake|stale_connection)$/;if(!/^(GET|HEAD)$/.test(a)||b>=c||!g.test(String(d))||(e||0)>30)return null;return Math.max(Math.min(300*2**b,5000)*(1+f/4),(e||0)*1000)}
let U=(a,b)=>Math.min(a*2**(b-1),60000);
function V(a,b){if(a>=200&&a<300)return"drop_batch";if([400,413,422].includes(a))return b>1?"split":"drop_batch";return[401,403,404,405,410].includes(a)?"hold":"retry"}
function W(a){let b=G(String(a).trim());return/^[a-z0-9_.:-]{1,64}$/.test(b)?b:null}
function AY(a,b){let{message:c,error:d}=b||{},e=Array.isArray(c)?c.join("; "):c;return[e,d].find(a=>!!a&&typeof a==="string")||`HTTP ${a}`}
let X=a=>[...Y(Z(a))][0]||null,
M={};
for(let AZ of("amd64 x64 win64|arm64 aarch64|386 x86 i386 i486 i586 i686 ia32|arm armv6 armv6l armv7 armv7l armhf|riscv64|"+"ppc64le powerpc64le|s390x|loong64 loongarch64|universal universal2 noarch all").split("|")){let AA=AZ.split(" ");AA.forEach(a=>M["a "+a]=AA[0])}
for(let BA of("windows win win32 win64 .exe .msi .msix|macos mac osx darwin .dmg .pkg|"+"linux .deb .rpm .appimage .flatpak .snap|android .apk .aab|ios iphone ipad .ipa|web wasm").split("|")){let AB=BA.split(" ");AB.forEach(a=>M["p "+a]=AB[0])}
let Z=a=>a.toLowerCase().replace(/x86[_-]64/g,"amd64").split(/[^a-z0-9]+/),
N=(a,b)=>new Set(b.map(b=>M[a+b]).filter(Boolean));
function Y(a){let b=N("a ",a);return b.size||!a.includes("win32")?b:new Set(["386"])}
function BB(a,b,c){let d=null,e=6;a.forEach((a,f)=>{let g=BC(a.url.replace(/[?#].*/s,"").replace(/.*\//s,"")),h=[a.platform||"",a.name||"",g].map(Z),i=new Set(["*"]);if((a.platform||"").trim())i=N("p ",h[0]);else{let j=[/\.[a-z0-9]+$/.exec(g.toLowerCase())?.[0]||""],k=[h[1],h[2],j].map(a=>N("p ",a));i=k.find(a=>a.size)||i}let l=h.map(Y).find(a=>a.size)||new Set(),m=!c||l.has(c)?0:l.has("universal")?1:l.size?9:2,n=b?m+(i.has(b)?0:i.has("*")?3:9):9;if(n<e){e=n;d=f}});return d}
function BC(a){try{return decodeURIComponent(a)}catch{return a}}
let BD=a=>/^https?:\/\/[^?#]*\/f\/[^/?#]+\/[0-9a-z]{12}\/[^/?#]+([?#]|$)/.test(a),
BE=(a,b,c)=>!a||!(c<a.next_at&&c>=a.checked_at&&c<a.checked_at+b*1.2);
function AC(a){if(a.required)return"required";if(!a.should_update)return"none";return a.milestone.target_is_milestone?"milestone":"optional"}
let AD=/^(\d+(?:\.\d+)*)(?:-(alpha|beta|rc)(?:\.(\d+(?:\.\d+)*))?)?$/,
BF=a=>AD.test(a);
function CH(a,b){let[c,d]=[a,b].map(a=>{let b=BF(a)&&AD.exec(a);if(!b)throw new RangeError(`not a comparable version: ${JSON.stringify(a)}`);return b});return AE(c[1],d[1])||AF(c[2]||"z",d[2]||"z")||AE(c[3]||"0",d[3]||"0")}
let AF=(a,b)=>a<b?-1:a>b?1:0;
function AE(a,b){let[c,d]=[a.split("."),b.split(".")];for(let e=0;e<Math.max(c.length,d.length);e++){let f=AF(BigInt(c[e]||0),BigInt(d[e]||0));if(f)return f}return 0}
function I(){if(crypto.randomUUID)return crypto.randomUUID();let a=crypto.getRandomValues(new Uint8Array(16));a[6]=(a[6]&15)|64;a[8]=(a[8]&63)|128;let b=[...a].map(a=>a.toString(16).padStart(2,"0")).join("");return b.replace(/(.{8})(.{4})(.{4})(.{4})/,"$1-$2-$3-$4-")}
let BG=32<<20;
function O(a,b){return new Promise((c,d)=>{let e=()=>d(new Error("aborted"));b.addEventListener("abort",e);if(b.aborted)e();a.then(c,d).finally(()=>b.removeEventListener("abort",e))})}
async function E(a,b,c){let d=new AbortController(),e=null,f=a=>{e=e||a;d.abort()},g=()=>f("aborted"),h=a?setTimeout(f,a,"read_timeout"):undefined;b?.addEventListener("abort",g);try{if(b?.aborted)g();return{value:await O(c(d.signal),d.signal),failure:null}}catch(i){return{cause:i,failure:e||"connect"}}finally{clearTimeout(h);b?.removeEventListener("abort",g)}}
function B(a,b){let c={read_timeout:"the time limit ran out",aborted:"the request was cancelled",body:"the answer broke off",large:"the answer is larger than 32 MiB",};return new D(c[a]||"no connection",b,a==="read_timeout")}
async function P(a,b,c){if(a.closed.aborted)throw new A("the client is closed");let d={...b},{method:e,path:f,signal:g}=c,{clock:h,agent:i}=a.host,j=BH(d,c),k=c.admin?await BI(d.token):null;for(let l=0;;l++){let m=h.mono(),n={method:e,headers:BJ(a,d,c,k),credentials:"omit",redirect:i?"manual":"follow",body:c.raw??(c.body===undefined?null:JSON.stringify(c.body)),},o="",{value:p,cause:q,failure:r}=await E(a.timeoutMs,g,async b=>{let c=await BK(a.fetch,j,{...n,signal:b});o="body";let d=await BL(c,()=>o="large");return{status:c.status,text:d,after:AX(c.headers.get("retry-after"),h.now()/1000)}}),s=p?p.status:0;a.log({message:"request",method:e,path:f,status:s,attempt:l+1,durationMs:h.mono()-m});if(p&&s>=200&&s<300&&!p.text.trim())return null;let t=p&&BM(p.text);if(t&&s>=200&&s<300&&t.json)return t.value;let u=r==="connect"&&o?o:r,v=T(e,l,a.retries,u||s,p?p.after:null,h.random());if(v===null||g?.aborted)throw p?new C(s,AY(s,t.value),t.value,p.after,e,f):B(u,q);let w=await E(0,g,b=>O(h.wait(v,a.closed),b));if(w.failure)throw B(w.failure,g?.reason);if(a.closed.aborted)throw new A("the client is closed")}}
function BH(a,{path:b,params:c=[],query:d={}}){let e=0,f=b.replace(/{(\w+)}/g,(b,d)=>{if(d==="k"&&!a.projectKey)throw new A("no project is bound: set projectKey");let f=AW(String((d==="k"?a.projectKey:c[e++])??""));if(!f)throw new A(`${d} must not be empty, "." or ".."`);return f}),g=Object.entries(d).filter(([,a])=>a!=null).map(([a,b])=>encodeURIComponent(a)+"="+encodeURIComponent(String(b)));return a.baseUrl+f+(g.length?"?"+g.join("&"):"")}
async function BI(a){let b;try{b=typeof a==="function"?await a():a}catch(c){throw new L("the token function failed",c)}if(!b)throw new L("this method needs a credential: set token or log in");return b}
function BJ(a,b,c,d){let e=a.host.clock.now(),f=a.clientTime?S(e,new Date(e).getTimezoneOffset()*-60):null,g=c.raw==null||typeof c.raw==="string";try{let h=new Headers(a.headers);for(let[i,j]of[["accept","application/json"],["authorization",d&&"Bearer "+d],["user-agent",a.userAgent],["content-type",c.raw==null&&c.body===undefined?null:g?"application/json":"application/octet-stream"],["x-svc-platform",b.platform],["x-svc-platform-version",b.platformVersion],["x-svc-client-time",f],]){if(j)h.set(i,j);else if(i!=="user-agent")h.delete(i)}return h}catch{throw new A("a header has a value that cannot be sent")}}
async function BK(a,b,c){for(let d=0;;d++){let e=await a(b,c),f=e.headers.get("location");if(d===3||c.method!=="GET"||![301,302,303,307,308].includes(e.status)||!f)return e;let[g,h]=[new URL(b),new URL(f,b)];if(h.hostname!==g.hostname||(h.protocol!==g.protocol&&h.protocol!=="https:"))return e;await e.body?.cancel();b=h.href}}
async function BL(a,b){let c=a.body?.getReader(),d=new TextDecoder(),e="",f=0;for(;;){let{done:g,value:h}=c?await c.read():{done:true,value:undefined};if(g||!h)return e+d.decode();f+=h.length;if(f>BG){b();void c.cancel();throw new Error("too large")}e+=d.decode(h,{stream:true})}}
function BM(a){try{return{json:true,value:JSON.parse(a)}}catch{return{json:false,value:a.slice(0,65536)}}}
let BN={now:()=>Date.now(),mono:()=>performance.now(),random:()=>Math.random(),wait:(a,b)=>new Promise(c=>{let d=()=>{clearTimeout(e);b.removeEventListener("abort",d);c()},e=setTimeout(d,a);b.addEventListener("abort",d);if(b.aborted)d()}),};
function J(a,b){let c=setTimeout(a,b);c.unref?.();return c}
let AG=/^[ -~]{1,128}$/,
BO=65536,
AH=16384;
class BP{constructor(a,b,c,d,e,f,g){this.host=a;this._c=b;this._ag=c;this.store=d;this._v=e;this._at=f;this.log=g;this.entries=[];this.optedOut=false;this.sent=0;this.dropped=0;this._ah=0;this._w=0;this.abort=new AbortController();this._o=[];this._x=false;this._p=true;this._ai=-Infinity;this._j=0;this._f=0;this._k=0;this._q=new Set();this._l=false}get active(){if(!this._c.enabled)return false;this._y();if(this.signalled){if(this.who||this.entries.length||this._g("distinct_id")!=null||this._g("queue")!=null)this.forget();return false}return!this.optedOut&&this._at()}get signalled(){return this._c.respectDoNotTrack&&this.host.doNotTrack()}get identifier(){if(!this.who){let a=this._g("distinct_id");this.who=a&&AG.test(a)?a:I();if(this.who!==a){this._l=true;this.save(true)}}return this.who}track(a,b){let c=W(a);if(!c)return this._r(String(a),"invalid name");let d=b==null?"":BQ(b);if(d.length*3>AH&&F(d).length>AH)return this._r(c,"properties over 16 KiB");let{mono:e,now:f}=this.host.clock,g=e();if(!this.session||g-this._ah>this._c.sessionTimeoutMs)this.session=I();this._ah=g;let h=!this.who,i=AI(I(),c,Math.floor(f()/1000),d,this.identifier,this.session);this.entries.push(i);if(this.entries.length>this._c.maxQueueSize){let j=this.entries.find(a=>!this._o.includes(a));this.remove([j]);this._r(j.name,"queue full")}this.save(h);if(this.entries.length>=this._c.batchSize)this._s();this._m()}async flush(){let{sent:a,dropped:b}=this;this._f=Math.min(this._f,2);let c=this.active;while(c&&this.entries.length)c=await(this._d||this._z(true));return{sent:this.sent-a,dropped:this.dropped-b,pending:this.entries.length}}forget(){this._w++;this.abort.abort();this.abort=new AbortController();this.entries=[];this._o=[];this._q.clear();this.who=this.session=undefined;this._l=false;this._aj();this._aa({distinct_id:null,queue:null})}setOptedOut(a){this._y();if(a)this.forget();this.optedOut=a;this._aa({opt_out:a?"1":null})}resetIdentity(){this.who=I();this.session=undefined;this._l=true;this.save(true)}dropOf(a){this._y();this.remove(this.entries.filter(b=>b.who===a));this.save(true)}pause(){this._p=false;this._aj();if(this._x)this.save(true)}resume(){this._p=true;this._f=0;this._m()}async settle(){while(this._d)await this._d}save(a=false){if(!this.store||this._c.persistence!=="persistent"||(this._n&&!a))return;let b=this._ai+1000-this.host.clock.mono();if(!a&&b>0){this._n=J(()=>this.save(true),b);return}clearTimeout(this._n);this._n=undefined;this._ai=this.host.clock.mono();if(this._g("opt_out")==="1"&&!this.optedOut){this.forget();this.optedOut=true;return}let c=new Set(this.entries.map(a=>a.id)),d=AJ(this._g("queue")).filter(a=>!c.has(a.id)&&!this._q.has(a.id)),e=[...d,...this.entries].slice(-this._c.maxQueueSize);this._q.clear();this._aa({queue:e.length?"["+e.map(BR).join()+"]":null,...(this._l&&{distinct_id:this.who}),});this._l=false}batch(a,b=""){let[c]=this.entries,d=a-AK(c,b).length-2,e=this.entries.findIndex((a,b)=>{d-=a.size+(b?2:1);return b&&(a.who!==c.who||a.session!==c.session||b===this._c.batchSize||d<0)});return this.entries.slice(0,e<0?undefined:e)}remove(a){let b=new Set(a.map(a=>a.id));b.forEach(a=>this._q.add(a));this.entries=this.entries.filter(a=>!b.has(a.id))}_r(a,b){this.dropped++;this._c.onDrop(a,b)}_s(){if(!this._d&&this._p&&this._f<3&&this.host.clock.mono()>=this._k&&this.active)void this._z(false)}_m(){if(this.entries.length&&!this._h&&this._p&&this._f<3){let a=this._k-this.host.clock.mono();this._h=J(()=>{this._h=undefined;if(this.active&&!this._d&&this.host.clock.mono()>=this._k)void this._z(true);else this._m()},a>0?a:this._c.flushIntervalMs)}}_aj(){clearTimeout(this._h);clearTimeout(this._n);this._h=this._n=undefined}_z(a){let b=Promise.resolve().then(async()=>{while(this.entries.length>=(a?1:this._c.batchSize)){if(!this.active||!(await this._ab(this.batch(BO))))return false}return true}).finally(()=>{this._d=undefined;this._m()});return this._d=b}async _ab(a){let{_w:b,_c:c}=this;this._o=a;let{status:d,after:e,message:f,rejected:g}=await this._v(AL(a),this.abort.signal);if(b!==this._w)return false;this._o=[];let h=V(d,a.length);if(h==="split"){let i=a.length>>1,j=()=>a.slice(i).filter(a=>this.entries.includes(a));return(await this._ab(a.slice(0,i)))&&(!j().length||this._ab(j()))}if(h==="drop_batch"){this.remove(a);this._j=this._f=0;this._k=0;if(d<300){this.sent+=a.length;(g||[]).forEach(b=>c.onDrop(a[b.index]?.name||"",b.message))}else this._r(a[0].name,f||"refused");this.save();return true}let k=60000;if(h==="hold")this._f++;else{this._f=0;k=Math.max(U(c.flushIntervalMs,++this._j),Math.min((e||0)*1000,3600000))}this._k=this.host.clock.mono()+k;clearTimeout(this._h);this._h=undefined;this.save(true);return false}_y(){if(!this._x){this._x=true;this.optedOut=this._g("opt_out")==="1";if(this._c.persistence==="persistent"){this.entries=AJ(this._g("queue")).slice(-this._c.maxQueueSize);this._m()}}}_g(a){if(!this.store||(this._c.persistence!=="persistent"&&a!=="opt_out"))return null;try{return this.store.read([this._ag+a])[0]??null}catch{return this._ak()}}_aa(a){let b={};for(let c of Object.keys(a)){if(this._c.persistence==="persistent"||c==="opt_out")b[this._ag+c]=a[c]}try{this.store?.write(b)}catch{this._ak()}}_ak(){this.store=null;this.log("local state cannot be kept");return null}}
function AI(a,b,c,d,e,f){let g=`{"event_id":${JSON.stringify(a)},"name":"${b}","occurred_at":${c}`+(d&&',"properties":'+d);return{id:a,name:b,who:e,session:f,wire:g,size:F(g).length}}
let AK=({who:a,session:b},c)=>`{"distinct_id":${JSON.stringify(a)}`+(b===undefined?"":`,"session_id":${JSON.stringify(b)}`)+`${c},"events":[`,
AL=(a,b="")=>AK(a[0],b)+a.map(a=>a.wire+"}").join()+"]}",
BR=({wire:a,who:b,session:c})=>a+',"distinct_id":'+JSON.stringify(b)+(c===undefined?"":',"session_id":'+JSON.stringify(c))+"}";
function AJ(a){let b;try{b=JSON.parse(a||"[]")}catch{}let c=[];for(let d of Array.isArray(b)?b:[]){let{event_id:e,name:f,occurred_at:g,properties:h,distinct_id:i,session_id:j}=d||{};if([e,i].every(a=>typeof a==="string"&&AG.test(a))&&W(f)===f&&Number.isSafeInteger(g)&&(j==null||(typeof j==="string"&&j.length<=128))&&(h==null||(typeof h==="object"&&!Array.isArray(h)))){let k=h?JSON.stringify(h):"";c.push(AI(e,f,g,k,i,j??undefined))}}return c}
function BQ(a){let b=a=>JSON.stringify(a,(a,b)=>/^(bigint|function|symbol)$/.test(typeof b)?String(b):b);if(!a||typeof a!=="object"||Array.isArray(a))return"";let c=AM(()=>b(a));if(c?.[0]!=="{"){let d=[];for(let e of Object.keys(a)){let f=AM(()=>[b(a[e])])||['"[unreadable]"'];if(f[0])d.push(JSON.stringify(e)+":"+f[0])}c="{"+d.join()+"}"}return c==="{}"?"":c}
function AM(a){try{return a()}catch{return undefined}}
let AN="/public/{k}/events",
BS=60000,
AO=a=>({read:b=>b.map(b=>a.read(b)??null),write(b){for(let[c,d]of Object.entries(b)){if(d===null)a.remove(c);else a.write(c,d)}},});
function BT(a,b){let c=(b,c,d)=>{let e=a[b]??c;if(!(e>=d))throw new A(`analytics.${b} must be ${d===1?"at least 1":"more than 0"}`);return e},d=a.persistence??"persistent";if(!["persistent","device","session","none"].includes(d))throw new A("analytics.persistence must be persistent, session or none");let e=c("maxQueueSize",500,1),f=new Set();return{enabled:a.enabled??true,requireConsent:a.requireConsent??false,persistence:d==="device"?"persistent":d,flushIntervalMs:c("flushIntervalMs",5000,Number.MIN_VALUE),batchSize:Math.min(c("batchSize",20,1),50,e),maxQueueSize:e,sessionTimeoutMs:c("sessionTimeoutMs",1800000,Number.MIN_VALUE),respectDoNotTrack:a.respectDoNotTrack??true,onDrop(c,d){if(!f.has(c)&&f.size<500){f.add(c);b("event dropped: "+d)}try{a.onDrop?.(c,d)}catch{}},}}
class BU{constructor(a,b,c){this._a=a;this._b=b;this._ac=c;this._ad=new Map();this._ae=false;this.closed=false;this.host=a.host;this._c=BT(c,b=>a.log({message:b}))}get namespace(){return this._ac.namespace??AV(this._b.baseUrl,this._b.projectKey)}store(a=""){if(this._c.persistence==="none")return null;return this._ac.storage?AO(this._ac.storage):this.host.store(this.namespace,a)}get active(){return!this.closed&&this.queue.active}get distinctId(){return this.active?this.queue.identifier:null}track(a,b){try{if(this.active){this._au();this.queue.track(a,b)}}catch{this._a.log({message:"event not collected"})}}flush(){return this.queue.flush()}optOut(){this.queue.setOptedOut(true)}optIn(){this.queue.setOptedOut(false)}hasOptedOut(){let{queue:a}=this;return a.signalled||(a.active,a.optedOut)}grantConsent(){this._ae=true}revokeConsent(){this._ae=false;if(this._c.requireConsent)this.queue.forget();else this.optOut()}resetIdentity(){if(this.active)this.queue.resetIdentity()}dropOf(a){this.queue.dropOf(a)}async close(a){await this._al(a);this.closed=true;this._am?.forEach(a=>a());this._ad.forEach(a=>a.pause())}get queue(){let{projectKey:a}=this._b,b=this.namespace+"\n"+(a||""),c=this._ad.get(b);if(c!==this.current||!c){this.current?.pause();if(this.current&&this._c.persistence!=="persistent")void this.current.flush();c=c||this.open(a);this._ad.set(b,c);c.resume();this.current=c}return c}open(a){return new BP(this.host,this._c,`svc.analytics.${this.namespace}.`,this.store(),(b,c)=>this._v(a,b,c),()=>!this.closed&&(!this._c.requireConsent||this._ae),a=>this._a.log({message:a}))}async _v(a,b,c){try{let d={method:"POST",path:AN,raw:b,signal:c},e=await P(this._a,{...this._b,projectKey:a},d);return{...e,status:202}}catch(f){return f instanceof C?{status:f.status,after:f.retryAfter,message:f.message}:{status:0}}}async _al(a){if(this.current&&!this.closed){let{current:b}=this;await new Promise(c=>{let d=setTimeout(c,a);void b.flush().finally(()=>{clearTimeout(d);c()})});b.save(true)}}_au(){this._am=this._am||[this.host.onEnd(()=>this._al(2000)),this.host.onLeave(()=>this._av())]}_av(){let{queue:a,_b:b,host:c}=this;if(!b.projectKey||!this.active)return;a.save(true);let d=c.clock.now(),e=Object.entries({platform:b.platform,platform_version:b.platformVersion,client_time:this._a.clientTime?S(d,new Date(d).getTimezoneOffset()*-60):null,}).map(([a,b])=>b?`,"${a}":${JSON.stringify(b)}`:"").join(""),f=b.baseUrl+AN.replace("{k}",encodeURIComponent(b.projectKey)),g=BS;while(a.entries.length){let h=a.batch(g,e),i=AL(h,e);g-=F(i).length;if(g<0||!c.beacon(f,i))break;a.remove(h)}a.save(true)}}
let AP="0.1.0",
AQ="/public/{k}/logs";
class BV{constructor(a,b,c){this._a=a;this._b=b;this.appVersion=c;this._e=[];this._i=new Map();this._t=10;this._an=0;this.dropped=0;this._j=0;this._af=false}capture(a,b={}){if(this.add(a,b))this._u()}install(a={}){this.redact=a.redact;let{level:b}=a,c=[this._a.host.onError((a,c,d)=>{if(this.add(a,{level:b,source:c})&&!d)this._u();else if(d)this.sendLast()}),];if(a.console){let{error:d}=console,e=(...a)=>{d.apply(console,a);this.capture(a.find(a=>a instanceof Error)||a.map(String).join(" "),{level:b,source:"console"})};console.error=e;c.push(()=>{if(console.error===e)console.error=d})}return()=>c.forEach(a=>a())}async flush(a=2000){let b=new Promise(b=>J(()=>b(null),a));await Promise.race([this._u(),b])}async close(a){if(this._e.length)await this.flush(a);clearTimeout(this._s)}add(a,b){if(this._af||this._a.closed.aborted)return false;this._af=true;try{let c=this._a.host.clock.mono(),d=BW(a),e=R([d.type,d.message,d.frame].join("\n")),f=this._i.get(e);if(f&&c-f.at<60000){f.repeated++;return false}this._t=Math.min(10,this._t+(c-this._an)/6000);this._an=c;if(this._t<1){this.dropped++;return false}let g=[d.type,d.message].filter(Boolean).join(": "),{source:h}=b,i=(this.redact||(a=>a))({level:b.level??3,content:[...(d.stack?g+"\n"+d.stack:g).slice(0,8192)].slice(0,4096).join(""),...(h&&{source:h.slice(0,128)}),device_info:this.device(),custom_data:{...b.customData,fingerprint:e,...(f?.repeated&&{repeated:f.repeated}),...(this.dropped&&{dropped:this.dropped}),},});this._i.delete(e);this._i.set(e,{at:c,repeated:0});if(this._i.size>500)this._i.delete(this._i.keys().next().value);if(!i)return false;this._t--;this.dropped=0;this._e.push(i);if(this._e.length>100)this._e.shift();return true}catch{return false}finally{this._af=false}}device(){let{host:a}=this._a,{platform:b,platformVersion:c}=this._b,d={sdk:"svc-sdk-js/"+AP,runtime:a.runtime(),os:b,os_version:b&&c,arch:X(a.arch()),app_version:this.appVersion,};return Object.fromEntries(Object.entries(d).filter(([,a])=>a))}_u(){clearTimeout(this._s);return this._d=this._d||Promise.resolve().then(()=>this._aw()).finally(()=>this._d=undefined)}async _aw(){while(this._e.length){let[a]=this._e,b=0;try{await P(this._a,this._b,{method:"POST",path:AQ,body:a});this._j=0}catch(c){let d=c instanceof C?c.status:0;if(d===429||V(d,1)==="retry"){let e=c instanceof C?(c.retryAfter??0):0;b=Math.max(U(5000,++this._j),Math.min(e*1000,3600000))}if(c instanceof A&&!b)this._a.log({message:"error report dropped",status:d})}if(b){this._s=J(()=>void this._u(),b);return}if(this._e[0]===a)this._e.shift()}}sendLast(){let{projectKey:a,baseUrl:b,platform:c,platformVersion:d}=this._b,e=this._e.pop();if(e&&a){let f={"content-type":"application/json",...this._a.headers};Object.assign(f,this._a.userAgent&&{"user-agent":this._a.userAgent});Object.assign(f,c&&{"x-svc-platform":c});Object.assign(f,d&&{"x-svc-platform-version":d});this._a.host.sendLast?.(b+AQ.replace("{k}",encodeURIComponent(a)),f,JSON.stringify(e))}}}
function BW(a){if(!(a instanceof Error))return{type:"",message:String(a),stack:"",frame:""};let{name:b,message:c,stack:d=""}=a,e=[b,c].filter(Boolean).join(": "),f=(d.startsWith(e)?d.slice(e.length):d).trim(),g=(f.split("\n")[0]||"").trim().replace(/^at /,""),[,h,i]=/^(.*?) ?\((.*)\)$/.exec(g)||/^(.*?)@(.*)$/.exec(g)||["","",g],j=i.replace(/(:\d+)+$/,"").replace(/[?#].*/s,"").replace(/^.*[\\/]/s,"");return{type:b,message:c,stack:f,frame:j&&`${h||"<anonymous>"} (${j})`}}
let BX=`
health GET /health
login POST /auth/login !`,
BY=`
getProject GET /public/{k} ?l
listVersions GET /public/{k}/versions ?*l
getLatestVersion GET /public/{k}/versions/latest ?l
getLatestPreviewVersion GET /public/{k}/versions/latest-preview ?l
getVersion GET /public/{k}/versions/by-version/{v} ?l
checkUpdate POST /public/{k}/versions/check-update !l
listAnnouncements GET /public/{k}/announcements ?*lv
getLatestAnnouncement GET /public/{k}/announcements/latest ?lv
getFeedbackOptions GET /public/{k}/feedbacks/options
createFeedback POST /public/{k}/feedbacks !
uploadLog POST /public/{k}/logs !
ingestEvents POST /public/{k}/events !
exportMyData GET /public/{k}/events/me ?
deleteMyData DELETE /public/{k}/events/me ?
listTerms GET /public/terms ?l
getTerms GET /public/terms/{slug} ?l`,
BZ=`
listProjects GET /admin/projects ?*
createProject POST /admin/projects !
getProject GET /admin/projects/{k}
updateProject PATCH /admin/projects/{k} !
deleteProject DELETE /admin/projects/{k}
getProjectStatistics GET /admin/projects/statistics
previewCodehostRepo GET /admin/projects/codehost-repo-preview ?
listProjectAliases GET /admin/projects/{k}/aliases
deleteProjectAlias DELETE /admin/projects/{k}/aliases/{alias}
listProjectLocales GET /admin/projects/{k}/locales
createProjectLocale POST /admin/projects/{k}/locales !
updateProjectLocale PATCH /admin/projects/{k}/locales/{locale} !
deleteProjectLocale DELETE /admin/projects/{k}/locales/{locale}
listVersions GET /admin/projects/{k}/versions ?*
createVersion POST /admin/projects/{k}/versions !
getVersion GET /admin/projects/{k}/versions/{id}
updateVersion PATCH /admin/projects/{k}/versions/{id} !
deleteVersion DELETE /admin/projects/{k}/versions/{id}
upsertVersion PUT /admin/projects/{k}/versions/by-version/{v} !
getVersionStatistics GET /admin/versions/statistics
previewCodehostRelease GET /admin/projects/{k}/versions/codehost-release-preview ?
importCodehostReleases POST /admin/projects/{k}/versions/codehost-release-import
listAnnouncements GET /admin/projects/{k}/announcements ?*
createAnnouncement POST /admin/projects/{k}/announcements !
getAnnouncement GET /admin/projects/{k}/announcements/{id}
updateAnnouncement PATCH /admin/projects/{k}/announcements/{id} !
deleteAnnouncement DELETE /admin/projects/{k}/announcements/{id}
getAnnouncementStatistics GET /admin/announcements/statistics
listFeedbacks GET /admin/projects/{k}/feedbacks ?*
createFeedback POST /admin/projects/{k}/feedbacks !
getFeedback GET /admin/projects/{k}/feedbacks/{id}
updateFeedback PATCH /admin/projects/{k}/feedbacks/{id} !
deleteFeedback DELETE /admin/projects/{k}/feedbacks/{id}
getFeedbackStatistics GET /admin/feedbacks/statistics
listLogs GET /admin/projects/{k}/logs ?*
createLog POST /admin/projects/{k}/logs !
updateLog PATCH /admin/projects/{k}/logs/{id} !
getLogStatistics GET /admin/logs/statistics
listEventDefinitions GET /admin/projects/{k}/events/definitions ?*
updateEventDefinition PATCH /admin/projects/{k}/events/definitions/{id} !
deleteEventDefinition DELETE /admin/projects/{k}/events/definitions/{id}
getEventOverview GET /admin/projects/{k}/events/stats/overview ?
getEventTimeseries GET /admin/projects/{k}/events/stats/timeseries ?
getEventBreakdown GET /admin/projects/{k}/events/stats/breakdown ?
getEventHeatmap GET /admin/projects/{k}/events/stats/heatmap ?
getFunnel POST /admin/projects/{k}/events/analysis/funnel !
getRetention POST /admin/projects/{k}/events/analysis/retention !
getPaths POST /admin/projects/{k}/events/analysis/paths !
runEventQuery POST /admin/projects/{k}/events/analysis/query !
listDashboardCards GET /admin/projects/{k}/events/dashboards/cards
createDashboardCard POST /admin/projects/{k}/events/dashboards/cards !
updateDashboardCard PATCH /admin/projects/{k}/events/dashboards/cards/{id} !
deleteDashboardCard DELETE /admin/projects/{k}/events/dashboards/cards/{id}
deleteEventSubject DELETE /admin/projects/{k}/events/subjects/{distinct_id}
getCodehostWebhook GET /admin/projects/{k}/codehost-webhook
setCodehostWebhookSecret PUT /admin/projects/{k}/codehost-webhook !
regenerateCodehostWebhookSecret POST /admin/projects/{k}/codehost-webhook/regenerate +
clearCodehostWebhookSecret DELETE /admin/projects/{k}/codehost-webhook
getCodehostAppConfig GET /admin/codehost-app
updateCodehostAppConfig PUT /admin/codehost-app !
clearCodehostAppConfig DELETE /admin/codehost-app
getCodehostIntegration GET /admin/projects/{k}/codehost-integration
updateCodehostIntegration PUT /admin/projects/{k}/codehost-integration !
getCodehostIntegrationRepoTemplate GET /admin/projects/{k}/codehost-integration/repo-template ?
listTermsDocuments GET /admin/terms/documents ?
getTermsDocument GET /admin/terms/documents/{slug} ?
updateTermsDocument PUT /admin/terms/documents/{slug} !
resetTermsDocument DELETE /admin/terms/documents/{slug} ?
getMe GET /auth/me
getAdminProfile GET /auth/admin-profile
updateAdminProfile PATCH /auth/admin-profile !
changePassword PATCH /auth/password !
changeAccount PATCH /auth/account !
listApiScopes GET /auth/api-scopes
listApiKeys GET /auth/api-keys
createApiKey POST /auth/api-keys !
updateApiKey PATCH /auth/api-keys/{id} !
revokeApiKey DELETE /auth/api-keys/{id}
rotateApiKey POST /auth/api-keys/{id}/rotate !
getRequestOverview GET /admin/projects/{k}/stats/requests/overview ?
getRequestTimeseries GET /admin/projects/{k}/stats/requests/timeseries ?
getRequestHeatmap GET /admin/projects/{k}/stats/requests/heatmap ?
getVersionAdoption GET /admin/projects/{k}/stats/requests/version-adoption ?
getClientVersions GET /admin/projects/{k}/stats/requests/client-versions ?
getPlatformVersions GET /admin/projects/{k}/stats/requests/platform-versions ?
getLogLevelStats GET /admin/projects/{k}/stats/logs ?
getFeedbackRatingStats GET /admin/projects/{k}/stats/feedbacks ?
getTranslationConfig GET /admin/translation
updateTranslationConfig PUT /admin/translation !
clearTranslationConfig DELETE /admin/translation
testTranslation POST /admin/translation/test
translate POST /admin/projects/{k}/translate !
listFiles GET /admin/projects/{k}/files ?*
getFile GET /admin/projects/{k}/files/{id}
deleteFile DELETE /admin/projects/{k}/files/{id}
retryFile POST /admin/projects/{k}/files/{id}/retry
refreshFileCdn POST /admin/projects/{k}/files/{id}/refresh-cdn
createUpload POST /admin/projects/{k}/files/uploads !
getUpload GET /admin/projects/{k}/files/uploads/{upload_id}
putUploadChunk PUT /admin/projects/{k}/files/uploads/{upload_id}/chunks/{index} #
completeUpload POST /admin/projects/{k}/files/uploads/{upload_id}/complete
abortUpload DELETE /admin/projects/{k}/files/uploads/{upload_id}
mirrorVersionAssets POST /admin/projects/{k}/versions/{id}/mirror-assets
getStorage GET /admin/storage
createStorageBackend POST /admin/storage/backends !
updateStorageBackend PATCH /admin/storage/backends/{id} !
deleteStorageBackend DELETE /admin/storage/backends/{id}
testStorageBackend POST /admin/storage/backends/{id}/test
getCdnConfig GET /admin/storage/cdn
updateCdnConfig PUT /admin/storage/cdn !
clearCdnConfig DELETE /admin/storage/cdn
testCdnConfig POST /admin/storage/cdn/test
testCodehostApp POST /admin/codehost-app/test
search GET /admin/search ?`;
function Q(a,b){let c={};for(let d of a.trim().split("\n")){let[e,f,g,h=""]=d.split(" "),i=g.replace("{k}","").split("{").length-1,j=h[0]||"",k=async(...a)=>{let c=j?a[i]:{},{signal:d,extra:e}=a[j?i+1:i]||{},k={method:f,path:g,signal:d,params:a.slice(0,i).map(a=>String(a??""))};if(j==="#")k.raw=c;let l=j==="#"?{}:{...c,...e};if(j==="?"||f==="GET")k.query=l;else if(j==="!"||Object.keys(l).length)k.body=l;return b(h,k,l)};c[e]=k;if(h.includes("*"))c[e.replace("list","iter")]=async function*(a,b){for(let c=0;;){let d=await k({...a,limit:100,offset:c},b);yield*d.data;c+=d.data.length;if(!d.data.length||c>=d.total)return}}}return c}
class AR{constructor(a,b,c,d,e){this._a=a;this._b=b;this.answer=c;this._bb=d;this._bc=e;this.decision=AC(c);this.target=c.target_version;this.reasonCodes=c.reason_codes;let f=this.target?.download_links||[],g=BB(f,b.platform,X(a.host.arch()));this.link=g===null?null:f[g]}async download(a,b={}){let c=b.link||this.link,d=c?.url||"";if(!/^https?:\/\//i.test(d)||(/^http:/i.test(d)&&/^https:/i.test(this._b.baseUrl)))throw new A(c?"the link cannot be downloaded safely: "+d.replace(/[?#].*/s,""):"there is no link for this platform");return CA(this._a,d,a,b)}}
class CB{constructor(a,b,c,d,e){this._a=a;this._b=b;this.analytics=c;this._ax=d;this.appVersion=e;this._d=new Map()}check(a={}){let b=a.currentComparableVersion,c=a.currentVersion??(b?undefined:(this.appVersion??undefined));if(!c&&!b)return Promise.reject(new A("currentVersion is needed, or appVersion of the client"));let d=a.locale===undefined?this._b.locale:a.locale,e=!!a.includePreview,f=[c,b,e,d].map(a=>a??"").join("|"),g=`svc.updates.${this.analytics.namespace}.last`,h=(a.intervalMs??21600000)/1000,i=Math.floor(this._a.host.clock.now()/1000),j=this._ay(g);if(j&&j.key===f&&!a.force&&!BE(j,h,i))return Promise.resolve(new AR(this._a,this._b,j.answer,j.checked_at,true));let k=g+"\n"+f,l=this._d.get(k);if(!l){l=this._az(g,f,h,i,{current_version:c,current_comparable_version:b,include_preview:a.includePreview,locale:d,},a.signal).finally(()=>this._d.delete(k));this._d.set(k,l)}return l}async _az(a,b,c,d,e,f){let g=await this._ax.checkUpdate(e,{signal:f}),h=d+c*(1+this._a.host.clock.random()/5);this._ba(a,{checked_at:d,next_at:Math.floor(h),key:b,answer:g});return new AR(this._a,this._b,g,d,false)}_ay(a){if(this._ao?.name===a)return this._ao.memory;try{let b=JSON.parse(this.analytics.store(".updates")?.read([a])[0]||"null");if(b&&AC(b.answer)&&Number.isFinite(b.checked_at+b.next_at))return b}catch{}return null}_ba(a,b){this._ao={name:a,memory:b};let c=JSON.stringify(b);if(c.length>262144)c=JSON.stringify(b,(a,b)=>a==="content"?null:b);try{this.analytics.store(".updates")?.write({[a]:c})}catch{this._a.log({message:"local state cannot be kept"})}}}
function CC(a){let b=[],c=()=>new Blob(b);return{size:0,write(a){b.push(a);this.size+=a.length},reset(){b=[];this.size=0},async digest(){let a=await crypto.subtle?.digest("SHA-256",await c().arrayBuffer());return a?[...new Uint8Array(a)].map(a=>a.toString(16).padStart(2,"0")).join(""):null},async finish(){if(!a)return{blob:c()};await c().stream().pipeTo(a);return{}},async discard(){b=[];await a?.abort()},}}
async function CA(a,b,c,d){let{host:e}=a,{signal:f,onProgress:g}=d,h=BD(b),i,j=null,k=null,l=a=>{throw new D(a)},m=async d=>{let f=j&&i?i.size:0,n=e.agent?{"accept-encoding":"identity"}:{};if(f){n.range=`bytes=${f}-`;n["if-range"]=j}let o=async b=>{let{value:c,cause:e,failure:f}=await E(a.timeoutMs,d,()=>b);if(f)throw B(f,e);return c},p=await o(CD(a,b,n,d)),{status:q}=p;if(q===416&&i){await i.reset();return 416}if(q!==200&&q!==206)return[502,503,504].includes(q)?q:l(`the download was answered with ${q}`);let r=p.headers.get("etag"),s=p.headers.get("content-encoding")?null:p.headers.get("content-length");if(q===206){let[,t,u]=/^bytes (\d+)-\d+\/(\d+)$/.exec(p.headers.get("content-range")||"")||[];if(t===undefined||+t!==f||+u!==k){await i.reset();return q}}else{k=s?+s:null;j=r?.startsWith('"')?r:null;let v=h?/^"([0-9a-f]{64})"$/.exec(r||"")?.[1]:"";if(v===undefined||(h&&k===null))return l("the link names a file of the service, but its answer has no size and hash");if(!i){i=typeof c==="string"?await e.sink(c,v.slice(0,16)||null):CC(c);if(i.size&&i.size<k){await p.body?.cancel();return m(d)}}await i.reset()}let w=p.body?.getReader();for(;;){let{done:x,value:y}=w?await o(w.read()):{done:true,value:undefined};if(x||!y)return null;await i.write(y);g?.(i.size,k);if(k!==null&&i.size>k)return l("the download has another size than its record")}};try{for(let n=0;;n++){let o=i?i.size:0,p,{value:q,cause:r,failure:s}=await E(0,f,m);if(s==="aborted")throw B(s,f?.reason);if(s){p=r;if(r instanceof D&&r.cause===undefined&&!r.timeout)throw r}else if(q===null&&(k===null||i.size>=k))break;if(i&&i.size>o)n=-1;let t=n<4?T("GET",Math.max(n,0),99,"connect",null,e.clock.random()):null;if(t===null)throw p instanceof D?p:B("body",p);await E(0,f,b=>O(e.clock.wait(t,a.closed),b));if(f?.aborted||a.closed.aborted)throw B("aborted",f?.reason)}let{size:u}=i,v=await i.digest(),w=h&&`"${v}"`===j;if(k!==null&&u!==k)l("the download has another size than its record");if(h&&!w)l(v?"the download has another SHA-256 than its record":"SHA-256 needs a secure context (HTTPS)");return{...(await i.finish()),size:u,sha256:v,verified:w}}catch(x){await i?.discard();throw x instanceof A?x:B("body",x)}}
async function CD(a,b,c,d){for(let e=0;;e++){let f=await a.fetch(b,{headers:c,signal:d,credentials:"omit",redirect:a.host.agent?"manual":"follow",}),g=f.headers.get("location");if(f.status<301||f.status>308||!g)return f;let h=new URL(g,b);if(e===5||(b.toLowerCase().startsWith("https:")&&h.protocol!=="https:"))return f;await f.body?.cancel();b=h.href}}
class CE{constructor(a,b){this._ap=new AbortController();let c=AT(String(a.baseUrl));if(!c)throw new A("baseUrl must start with http:// or https://");if(!c.replace(/^.*?:\/\/[^/]*/,"").includes("/api/v"))console.warn("svc-sdk: baseUrl has no /api/v… in its path");let d=a.timeoutMs??15000,e=a.retries??3;if(!(d>=0&&e>=0))throw new A("timeoutMs and retries must not be negative");let f=a.appIdentifier||"",g={...a.headers};if([f,...Object.entries(g).flat()].some(a=>/[\r\n]/.test(a)))throw new A("appIdentifier and headers must not contain line breaks");let{logger:h}=a;this._b={baseUrl:c,projectKey:a.projectKey||null,token:a.token||null,platform:H(a.platform===undefined?b.platform():a.platform),platformVersion:H(a.platformVersion===undefined&&a.platform!==null?b.platformVersion():a.platformVersion),locale:a.locale??null,};this._a={host:b,fetch:a.fetch||((a,b)=>fetch(a,b)),timeoutMs:d,retries:e,headers:g,userAgent:b.agent&&[`${b.agent}/${AP}`,f].filter(Boolean).join(" "),clientTime:a.sendClientTime??true,closed:this._ap.signal,log(a){try{h?.(a)}catch{}},};let i=a.appVersion??null,j=this.analytics=new BU(this._a,this._b,a.analytics||{}),k=a=>(b,c,d)=>{let{locale:e}=this._b;if(b.includes("l")&&d.locale===undefined&&e)d.locale=e;if(b.includes("v")&&d.version===undefined&&i)d.version=i;return P(this._a,this._b,{...c,admin:a})};this._aq=Q(BX,k(false));let l=Q(BY,this._ar(k(false),i));for(let m of["track","flush","optOut","optIn","hasOptedOut","grantConsent","revokeConsent","resetIdentity"])l[m]=j[m].bind(j);Object.defineProperty(l,"distinctId",{get:()=>j.distinctId,enumerable:true});this.public=l;this.admin=Q(BZ,this._ar(k(true),i));this.admin.uploadFile=(a,b,c={})=>this.upload(a,b,c);this.updates=new CB(this._a,this._b,j,this.public,i);this.logs=new BV(this._a,this._b,i)}get projectKey(){return this._b.projectKey}health(a){return this._aq.health(a)}async login(a,b,c){let d=await this._aq.login({username:a,password:b},c);this._b.token=d.access_token;return d}setToken(a){this._b.token=a}clearToken(){this._b.token=null}setProjectKey(a){this._b.projectKey=a||null}setPlatform(a){this._b.platform=H(a)}setPlatformVersion(a){this._b.platformVersion=H(a)}setLocale(a){this._b.locale=a}async close({timeoutMs:a=2000}={}){if(!this._a.closed.aborted){await Promise.all([this.analytics.close(a),this.logs.close(a)]);this._ap.abort()}}_ar(a,b){return(c,d,e)=>{let{method:f,path:g}=d;if(g.endsWith("/events/me")){let h=e.distinct_id??(e.distinct_id=this.analytics.distinctId);if(!h)throw new A("there is no identifier: nothing is collected");if(f==="DELETE")this.analytics.dropOf(h)}if(g.endsWith("/check-update")){if(e.locale===null)delete e.locale;if(e.current_version==null&&e.current_comparable_version==null){if(!b)throw new A("current_version or current_comparable_version is needed");e.current_version=b}}if(g==="/public/{k}/feedbacks"&&e.forward_to_codehost===true&&!String(e.contact??"").trim())throw new A("contact is needed when feedback is forwarded");if(g==="/admin/projects"&&f==="POST"&&e.project_key===undefined&&this.projectKey)e.project_key=this.projectKey;if(e.refresh===false)delete e.refresh;return a(c,d,e)}}async upload(a,b,c){let{signal:d}=c,e=typeof a==="string"?await this._a.host.open(a):a instanceof Blob?a:await new Response(a).blob(),f=c.uploadId?await this.admin.getUpload(c.uploadId,{signal:d}):await this.admin.createUpload({filename:b,size:e.size,...(c.storageBackendId&&{storage_backend_id:c.storageBackendId})},{signal:d}),g=f.upload_id;for(let h=1;;h++){let{chunk_size:i,total_chunks:j}=f,k=new Set(f.received_chunks);try{for(let l=0;l<j;l++){if(!k.has(l)){let m=await e.slice(l*i,Math.min((l+1)*i,e.size)).arrayBuffer();await this.admin.putUploadChunk(g,l,new Uint8Array(m),{signal:d})}}return await this.admin.completeUpload(g,{signal:d})}catch(n){if(h===3||d?.aborted)throw n;f=await this.admin.getUpload(g,{signal:d})}}}}
let CI={debug:0,info:1,warning:2,error:3},
CF={read:a=>localStorage.getItem(a),write:(a,b)=>localStorage.setItem(a,b),remove:a=>localStorage.removeItem(a),};
function K(a,b,c){a?.addEventListener(b,c);return()=>a?.removeEventListener(b,c)}
let CG={clock:BN,agent:null,platform:()=>globalThis.navigator?"web":"others",platformVersion:()=>null,arch:()=>"",runtime:()=>globalThis.navigator?.userAgent||"",store(){try{return globalThis.localStorage?AO(CF):null}catch{return null}},doNotTrack(){let{navigator:a,window:b}=globalThis;return a?.globalPrivacyControl===true||[a?.doNotTrack,b?.doNotTrack].some(a=>a==="1"||a==="yes")},onEnd:()=>()=>undefined,onLeave(a){let{document:b,window:c}=globalThis,d=[K(b,"visibilitychange",()=>{if(b.visibilityState==="hidden")a()}),K(b&&c,"pagehide",a),];return()=>d.forEach(a=>a())},beacon(a,b){let c=globalThis.location&&new URL(a).origin===location.origin,d=c?"application/json":"text/plain;charset=UTF-8";try{if(typeof navigator.sendBeacon==="function"&&navigator.sendBeacon(a,new Blob([b],{type:d})))return true;fetch(a,{method:"POST",body:b,headers:{"content-type":d},keepalive:true,credentials:"omit"}).catch(()=>undefined);return true}catch{return false}},onError(a){let b=[K(globalThis,"error",b=>{let{error:c,message:d}=b;a(c||d,"uncaught")}),K(globalThis,"unhandledrejection",b=>{a(b.reason,"uncaught")}),];return()=>b.forEach(a=>a())},open:()=>Promise.reject(new A("there are no paths here: pass a Blob or a stream")),sink:()=>Promise.reject(new A("there are no paths here: pass a WritableStream, or nothing")),};
class CJ extends CE{constructor(a){super(a,CG)}}
globalThis.SvcSDK={SvcClient:CJ,SvcSDK:CJ,LogLevel:CI,SvcApiError:C,SvcAuthError:L,SvcConnectionError:D,SvcError:A,compareVersions:CH,isComparableVersion:BF,SDK_VERSION:AP};globalThis.SvcClient=CJ})();
