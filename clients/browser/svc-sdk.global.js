/*! svc-sdk 0.1.0 | Apache-2.0 */
(()=>{"use strict";const from$=(globalThis.document?.currentScript?.src||"./").replace(/[^/?#]*([?#].*)?$/s,"");
class t extends Error{constructor(t,r){super(t),this.name=new.target.label,r!==undefined&&Object.defineProperty(this,"cause",{value:r,configurable:!0})}}
t.label="SvcError";
class c extends t{}
c.label="SvcAuthError";
class p extends t{constructor(t,r,e,n,a,i){super(r),this.status=t,this.body=e,this.retryAfter=n,this.method=a,this.path=i}toString(){return`[${this.status}] ${this.message}`}}
p.label="SvcApiError";
class e extends t{constructor(t,r,e=!1){super(t,r),this.timeout=e}}
e.label="SvcConnectionError";
let rr={now:()=>Date.now(),d:()=>performance.now(),random:()=>Math.random(),rw:(t,r)=>new Promise(e=>{let n=()=>{clearTimeout(a),r.removeEventListener("abort",n),e()},a=setTimeout(n,t);r.addEventListener("abort",n),r.aborted&&n()})},
h=(t,r)=>{let e=setTimeout(t,r);return e.unref?.(),e},
b=async(t,r)=>{let e;await Promise.race([r,new Promise(r=>e=setTimeout(r,t))]),clearTimeout(e)},
re=new TextEncoder,a=t=>re.encode(t),v=t=>[...t].map(t=>t.toString(16).padStart(2,"0")).join(""),u=t=>Object.fromEntries(Object.entries(t).filter(([,t])=>t)),i=t=>t.replace(/[A-Z]+/g,t=>t.toLowerCase()),
y=t=>{let r=2166136261;for(let e of a(t))r=Math.imul(r^e,16777619);return(r>>>0).toString(16).padStart(8,"0")},
rn=t=>{let r=t.trim().replace(/\/+$/,"");return/^https?:\/\//i.test(r)?r:null},
ra=t=>{let[,r,e]=/^(.*?):\/\/([^/?#]*)/s.exec(t.trim())||[];if(r===undefined)return i(t.trim());let n=i(r+"://"+e.replace(/^.*@/s,""));return n.replace(/:$/,"").replace(/^(http:.*):80$|^(https:.*):443$/s,"$1$2")},
s=t=>i((t||"").trim()),ri=(t,r)=>y(ra(t))+"-"+(s(r)||"default"),
rs=(t,r)=>{let e=new Date(t+r*1e3),n=Number.isNaN(+e)?"":e.toISOString();if(r%60||n.length!==24)return null;let a=Math.abs(r/60),i=t=>String(t).padStart(2,"0");return n.slice(0,23)+(r<0?"-":"+")+i(Math.floor(a/60))+":"+i(a%60)},
o=t=>(t||"").replace(/[^!-~]+/g," ").trim().slice(0,32).trim()||null,ro=t=>/^\.{0,2}$/.test(t)?null:encodeURIComponent(t),
rl=(t,r)=>{let e=(t||"").trim();if(/^\d+$/.test(e))return+e;let n=/^[A-Za-z]+,? /.test(e)?Date.parse(e):NaN;return Number.isNaN(n)?null:Math.max(0,Math.ceil(n/1e3-r))},
w=(t,r,e,n,a,i=0)=>{let s=/^(50[234]|dns|connect|connect_timeout|tls_handshake|stale_connection)$/;return!/^(GET|HEAD)$/.test(t)||r>=e||!s.test(String(n))||(a||0)>30?null:Math.max(Math.min(300*2**r,5e3)*(1+i/4),(a||0)*1e3)},
k=(t,r,e)=>Math.max(Math.min(t*2**(r-1),6e4),Math.min((e||0)*1e3,36e5)),
x=(t,r)=>t>=200&&t<300?"drop_batch":[400,413,422].includes(t)?r>1?"split":"drop_batch":[401,403,404,405,410].includes(t)?"hold":"retry",
j=t=>{let r=i(String(t).trim());return/^[a-z0-9_.:-]{1,64}$/.test(r)?r:null},
rd=(t,r)=>{let{message:e,error:n}=r||{},a=Array.isArray(e)?e.join("; "):e;return[a,n].find(t=>!!t&&typeof t==="string")||`HTTP ${t}`},
rc=t=>{let r={};for(let e of t.split("|")){let t=e.split(" ");t.forEach(e=>r[e]=t[0])}return r},
q=rc("windows win win32 win64 .exe .msi .msix|macos mac osx darwin .dmg .pkg|linux .deb .rpm .appimage .flatpak .snap|android .apk .aab|ios iphone ipad .ipa|web wasm"),rp=t=>t.toLowerCase().replace(/x86[_-]64/g,"amd64").split(/[^a-z0-9]+/),z=(t,r)=>new Set(r.map(r=>t[r]).filter(Boolean)),
rh=(t,r,e=()=>0)=>{let n=null,a=6;return t.forEach((t,i)=>{let s=ru(t.url.replace(/[?#].*/s,"").replace(/.*\//s,"")),o=[t.platform||"",t.name||"",s].map(rp),l=(/\.\w+$/.exec(s.toLowerCase())||[])[0]||"",d=(t.platform||"").trim()?z(q,o[0]):[o[1],o[2],[l]].map(t=>z(q,t)).find(t=>t.size),c=e(o),p=!r||c>2||d&&!d.has(r)?9:c+(d?0:3);p<a&&(a=p,n=i)}),n},
ru=t=>{try{return decodeURIComponent(t)}catch{return t}},
rf=(t,r,e)=>!t||!(e<t.next_at&&e>=t.checked_at&&e<t.checked_at+r*1.2),
rm=t=>t.required?"required":t.should_update?t.milestone.target_is_milestone?"milestone":"optional":"none",
tt=/^(\d+(?:\.\d+)*)(?:-(alpha|beta|rc)(?:\.(\d+(?:\.\d+)*))?)?$/,rg=t=>tt.test(t),
ep=(t,r)=>{let[e,n]=[t,r].map(t=>{let r=rg(t)&&tt.exec(t);if(!r)throw new RangeError(`not a comparable version: ${JSON.stringify(t)}`);return r});return tr(e[1],n[1])||te(e[2]||"z",n[2]||"z")||tr(e[3]||"0",n[3]||"0")},
te=(t,r)=>t<r?-1:t>r?1:0,
tr=(t,r)=>{let[e,n]=[t.split("."),r.split(".")];for(let t=0;t<Math.max(e.length,n.length);t++){let r=te(BigInt(e[t]||0),BigInt(n[t]||0));if(r)return r}return 0},
l=()=>{if(crypto.randomUUID)return crypto.randomUUID();let t=crypto.getRandomValues(new Uint8Array(16));return t[6]=t[6]&15|64,t[8]=t[8]&63|128,v(t).replace(/(.{8})(.{4})(.{4})(.{4})/,"$1-$2-$3-$4-")},
rb=32<<20,
n=async(t,r,e)=>{let n=new AbortController,a="",i,s=new Promise((t,e)=>{i=t=>{a=a||t,n.abort(),e(r?.reason??new Error(t))}}),o=()=>i("aborted"),l=t&&t<2**31?setTimeout(i,t,"read_timeout"):undefined;r?.addEventListener("abort",o);try{return r?.aborted&&(o(),await s),{value:await Promise.race([s,e(n.signal)]),failure:null}}catch(t){return{cause:t,failure:a||"connect"}}finally{clearTimeout(l),r?.removeEventListener("abort",o),n.abort()}},
r=(t,r)=>{let n={read_timeout:"the time limit ran out",aborted:"the request was cancelled",body:"the answer broke off",large:"the answer is larger than 32 MiB"};return new e(n[t]||"no connection",r,t==="read_timeout")},
tn=({p:r})=>{if(r.aborted)throw new t("the client is closed")},
ta=async(t,e,a)=>{let{failure:i,cause:s}=await n(0,a,()=>t.r.a.rw(e,t.p));if(i)throw r(i,s);tn(t)},
ti=async(t,e,a)=>{tn(t);let i={...e},{method:s="POST",path:o,signal:l}=a,{a:d}=t.r,c=f(i,a),h=a.admin?await rv(i.token):null;for(let e=0;;e++){let u=d.d(),f={method:s,headers:ts(t,i,a,h),credentials:"omit",body:a.raw??(a.body===undefined?null:JSON.stringify(a.body))},m="",{value:g,cause:b,failure:v}=await n(t.timeoutMs,l,async r=>{let e=await t.r.fetch(t.fetch,c,{...f,signal:r});m="body";let n=await ry(e,()=>m="large"),{headers:a}=e;return{status:e.status,text:n,etag:a.get("etag"),after:rl(a.get("retry-after"),d.now()/1e3)}}),y=g?g.status:0,k=y>=200&&y<300;if(t.f({message:"request",method:s,path:o,status:y,attempt:e+1,durationMs:d.d()-u}),k&&!g.text.trim())return null;let x=g&&rw(g.text);if(k&&x.json)return g.etag&&a.onETag?.(g.etag),x.value;let j=v==="connect"&&m?m:v,q=w(s,e,t.retries,j||y,g?g.after:null,d.random());if(q===null||l?.aborted)throw g?new p(y,rd(y,x.value),x.value,g.after,s,o):r(j,b);await ta(t,q,l)}},
to=async(t,r,e)=>{try{return{...await ti(t,r,e),status:202}}catch(t){return t instanceof p?{status:t.status,after:t.retryAfter,message:t.message}:{status:0}}},
f=(r,{path:e,rk:n=[],rx:a={}})=>{let i=0,s=e.replace(/{(\w+)}/g,(e,a)=>{if(a==="k"&&!r.projectKey)throw new t("no project is bound: set projectKey");let s=ro(String((a==="k"?r.projectKey:n[i++])??""));if(!s)throw new t(`${a} must not be empty, "." or ".."`);return s}),o=Object.entries(a).filter(([,t])=>t!=null).map(([t,r])=>encodeURIComponent(t)+"="+encodeURIComponent(String(r)));return r.baseUrl+s+(o.length?"?"+o.join("&"):"")},
rv=async t=>{let r;try{r=typeof t==="function"?await t():t}catch(t){throw new c("the token function failed",t)}if(!r)throw new c("this method needs a credential: set token or log in");return r},
tl=({rj:t,r:r})=>{let e=r.a.now();return t?rs(e,new Date(e).getTimezoneOffset()*-60):null},
ts=(r,e,n,a)=>{let i=n.raw==null||typeof n.raw==="string";try{let t=new Headers(r.headers);for(let[s,o]of[["accept","application/json"],["authorization",a&&"Bearer "+a],["user-agent",r.userAgent],["if-match",n.ifMatch],["content-type",n.raw==null&&n.body===undefined?null:i?"application/json":"application/octet-stream"],["x-svc-platform",e.platform],["x-svc-platform-version",e.platformVersion],["x-svc-client-time",tl(r)]])o?t.set(s,o):s!=="user-agent"&&t.delete(s);return t}catch{throw new t("a header has a value that cannot be sent")}},
td=t=>{let r=t.body?.getReader();return async()=>(await r?.read())?.value},
ry=async(t,r)=>{let e=td(t),n=new TextDecoder,a="",i=0;for(let t;t=await e();){if(i+=t.length,i>rb)throw r(),new Error("too large");a+=n.decode(t,{stream:!0})}return a+n.decode()},
rw=t=>{try{return{json:!0,value:JSON.parse(t)}}catch{return{json:!1,value:t.slice(0,65536)}}},
tc=/^[ -~]{1,128}$/,rk=65536,tp=16384;
class rx{constructor(t,r,e,n,a,i,s,o){this.r=t,this.n=r,this.tz=e,this.l=n,this.rq=a,this.rz=i,this.f=s,this.j=o,this.entries=[],this.b=!1,this.sent=0,this.dropped=0,this.rt=0,this.q=0,this.abort=new AbortController,this.te=new Set,this.tu=!1,this.tn=!0,this.rr=-Infinity,this.z=0,this.h=0,this.v=0,this.y=new Set,this.tt=!1}get c(){return this.n.enabled?(this.ta(),this.re)?((this.i||this.entries.length||this.m("distinct_id")!=null||this.m("queue")!=null)&&this.ti(),!1):!this.b&&this.rz():!1}hasOptedOut(){return this.ta(),this.b}get re(){return this.n.respectDoNotTrack&&this.r.doNotTrack()}get rn(){if(!this.i){let t=this.m("distinct_id");this.i=t&&tc.test(t)?t:l(),this.i!==t&&(this.tt=!0,this.o(!0))}return this.i}track(t,r){let e=j(t);if(!e){this.ts(String(t),"invalid name");return}let n=r==null?"":th(r);if(n.length*3>tp&&a(n).length>tp){this.ts(e,"properties over 16 KiB");return}let{d:i,now:s}=this.r.a,o=i();(!this.session||o-this.rt>this.n.sessionTimeoutMs)&&(this.session=l()),this.rt=o;let d=!this.i,c=tu(l(),e,Math.floor(s()/1e3),n,this.rn,this.session,this.j);this.entries.push(c),this.trim(),this.o(d),this.entries.length>=this.n.batchSize&&this.to(),this.w()}async flush(){let{sent:t,dropped:r}=this;this.h=Math.min(this.h,2);let e=this.c;while(e&&this.entries.length)e=await(this.s||this.tf(!0));return{sent:this.sent-t,dropped:this.dropped-r,pending:this.entries.length}}ti(){this.q++,this.abort.abort(),this.abort=new AbortController,this.entries=[],this.te=new Set,this.y.clear(),this.i=this.session=undefined,this.tt=!1,this.ra(),this.tm({distinct_id:null,queue:null})}ri(t){this.ta(),t&&this.ti(),this.b=t,this.tm({opt_out:t?"1":null})}resetIdentity(){this.i=l(),this.session=undefined,this.tt=!0,this.o(!0)}tg(t){this.ta(),this.remove(this.entries.filter(r=>r.i===t)),this.o(!0)}rs(){this.tn=!1,this.ra(),this.tu&&this.o(!0)}et(){this.tn=!0,this.h&&(this.h=this.v=0),this.w()}async eg(){while(this.s)await this.s}o(t=!1){if(!this.l||this.n.persistence!=="persistent"||this.tr&&!t)return;let r=this.rr+1e3-this.r.a.d();if(!t&&r>0){this.tr=h(()=>this.o(!0),r);return}if(clearTimeout(this.tr),this.tr=undefined,this.rr=this.r.a.d(),this.m("opt_out")==="1"&&!this.b){this.ti(),this.b=!0;return}let e=new Set(this.entries.map(t=>t.g)),n=tf(this.m("queue")).filter(t=>!e.has(t.g)&&!this.y.has(t.g)),a=[...n,...this.entries].slice(-this.n.maxQueueSize);this.y.clear(),this.tm({queue:a.length?"["+a.map(rj).join()+"]":null,...this.tt&&{distinct_id:this.i}}),this.tt=!1}ro(t,r={}){let[e]=this.entries,n=t-tm(e,r).length-2,a=this.entries.findIndex((t,r)=>(n-=t.size+(r?2:1),r&&(t.i!==e.i||t.session!==e.session||r===this.n.batchSize||n<0)));return this.entries.slice(0,a<0?undefined:a)}er(t,r){r===this.q&&(t.forEach(({g:t})=>this.y.delete(t)),this.entries=[...t,...this.entries],this.trim(),this.o(!0),this.w())}remove(t){let r=new Set(t.map(t=>t.g));r.forEach(t=>this.y.add(t)),this.entries=this.entries.filter(t=>!r.has(t.g))}trim(){while(this.entries.length>this.n.maxQueueSize){let t=this.entries.findIndex(t=>!this.te.has(t)),r=this.entries[t];for(let r=t;r>0;r--)this.entries[r]=this.entries[r-1];this.entries.shift(),this.y.add(r.g),this.ts(r.name,"queue full")}}ts(t,r){this.dropped++,this.n.onDrop(t,r)}to(){!this.s&&this.tn&&this.h<3&&this.r.a.d()>=this.v&&this.c&&this.tf(!1)}w(){if(this.entries.length&&!this.k&&this.tn&&this.h<3){let t=this.v-this.r.a.d();this.k=h(()=>{this.k=undefined,this.c&&!this.s&&this.r.a.d()>=this.v?this.tf(!0):this.w()},t>0?t:this.n.flushIntervalMs)}}ra(){clearTimeout(this.k),clearTimeout(this.tr),this.k=this.tr=undefined}tf(t){let r=Promise.resolve().then(async()=>{while(this.entries.length>=(t?1:this.n.batchSize)){if(!this.c||!await this.tb(this.ro(rk)))return!1}return!0}).finally(()=>{this.s=undefined,this.w()});return this.s=r}async tb(t){let{q:r,n:e}=this;this.te=new Set(t);let{status:n,after:a,message:i,rejected:s}=await this.rq(tg(t),this.abort.signal);if(r!==this.q)return!1;this.te=new Set;let o=x(n,t.length);if(o==="split"){let r=t.length>>1,e=()=>t.slice(r).filter(t=>this.entries.includes(t));return await this.tb(t.slice(0,r))&&(!e().length||this.tb(e()))}if(o==="drop_batch")return this.remove(t),this.z=this.h=0,this.v=0,n<300?(this.sent+=t.length,(s||[]).forEach(r=>e.onDrop(t[r.index]?.name||"",r.message))):this.ts(t[0].name,i||"refused"),this.o(),!0;let l=6e4;return o==="hold"?this.h++:(this.h=0,l=k(e.flushIntervalMs,++this.z,a)),this.v=this.r.a.d()+l,clearTimeout(this.k),this.k=undefined,this.o(!0),!1}ta(){if(!this.tu){if(this.tu=!0,this.b=this.m("opt_out")==="1",this.n.persistence==="persistent"){let t=tf(this.m("queue")).filter(({j:t})=>!t||s(t)===s(this.j));this.entries=t.slice(-this.n.maxQueueSize),this.w()}}}m(t){if(!this.l||this.n.persistence!=="persistent"&&t!=="opt_out")return null;try{return this.l.read([this.tz+t])[0]??null}catch{return this.rl()}}tm(t){let r={};for(let e of Object.keys(t))(this.n.persistence==="persistent"||e==="opt_out")&&(r[this.tz+e]=t[e]);try{this.l?.write(r)}catch{this.rl()}}rl(){return this.l=null,this.f("local state cannot be kept"),null}}
let tu=(t,r,e,n,i,s,o)=>{let l=tb({event_id:t,name:r,occurred_at:e})+(n&&',"properties":'+n);return{g:t,name:r,i:i,session:s,j:o,rd:l,size:a(l).length}},
tb=t=>JSON.stringify(t).slice(0,-1),tm=({i:t,session:r},e)=>tb({distinct_id:t,session_id:r,...e})+',"events":[',tg=(t,r={})=>tm(t[0],r)+t.map(t=>t.rd+"}").join()+"]}",rj=({rd:t,i:r,session:e,j:n})=>t+","+JSON.stringify({distinct_id:r,session_id:e,project_key:n}).slice(1),
tf=t=>{let r;try{r=JSON.parse(t||"[]")}catch{}let e=[];for(let t of Array.isArray(r)?r:[]){let{event_id:r,name:n,occurred_at:a,properties:i,distinct_id:s,session_id:o,project_key:l}=t||{};if([r,s].every(t=>typeof t==="string"&&tc.test(t))&&j(n)===n&&Number.isSafeInteger(a)&&(o==null||typeof o==="string"&&o.length<=128)&&(l==null||typeof l==="string")&&(i==null||typeof i==="object"&&!Array.isArray(i))){let t=i?JSON.stringify(i):"",d=[o,l].map(t=>t??undefined);e.push(tu(r,n,a,t,s,d[0],d[1]))}}return e},
th=t=>{let r=t=>JSON.stringify(t,(t,r)=>/^(bigint|function|symbol)$/.test(typeof r)?String(r):r);if(!t||typeof t!=="object"||Array.isArray(t))return"";let e=tv(()=>r(t));if(e?.[0]!=="{"){let n=[];for(let e of Object.keys(t)){let a=tv(()=>[r(t[e])])||['"[unreadable]"'];a[0]&&n.push(JSON.stringify(e)+":"+a[0])}e="{"+n.join()+"}"}return e==="{}"?"":e},
tv=t=>{try{return t()}catch{return undefined}},
ty="/public/{k}/events",tw=6e4,tk=t=>({read:r=>r.map(r=>t.read(r)??null),write(r){for(let[e,n]of Object.entries(r))n===null?t.remove(e):t.write(e,n)}}),
rq=(r,e)=>{let n=(e,n,a)=>{let i=r[e]??n;if(!(i>=a))throw new t(`analytics.${e} must be ${a===1?"at least 1":"more than 0"}`);return i},a=r.persistence??"persistent";if(!["persistent","device","session","none"].includes(a))throw new t("analytics.persistence must be persistent, session or none");let i=new Set;return{enabled:r.enabled??!0,requireConsent:r.requireConsent??!1,persistence:a==="device"?"persistent":a,flushIntervalMs:n("flushIntervalMs",5e3,Number.MIN_VALUE),batchSize:Math.min(n("batchSize",20,1),50),maxQueueSize:n("maxQueueSize",500,1),sessionTimeoutMs:n("sessionTimeoutMs",18e5,Number.MIN_VALUE),respectDoNotTrack:r.respectDoNotTrack??!0,onDrop(t,n){!i.has(t)&&i.size<500&&(i.add(t),e("event dropped: "+n));try{r.onDrop?.(t,n)}catch{}}}};
class rz{constructor(t,r,e){this.e=t,this.t=r,this.tl=e,this.tv=new Map,this.rc=null,this.ty=!1,this.p=!1,this.td=tw,this.r=t.r,this.n=rq(e,r=>t.f({message:r}))}get namespace(){return this.tl.namespace??ri(this.t.baseUrl,this.t.projectKey)}l(t=""){return this.n.persistence==="none"?null:this.tl.storage?tk(this.tl.storage):this.r.l(this.namespace,t)}get c(){return!this.p&&this.queue.c}get distinctId(){return this.c?this.queue.rn:null}track(t,r){try{this.c&&(this.ee(),this.td=tw,this.queue.track(t,r))}catch{this.e.f({message:"event not collected"})}}flush(){return this.queue.flush()}optOut(){this.queue.ri(!0)}optIn(){this.queue.ri(!1)}hasOptedOut(){let{queue:t}=this;return t.re||t.hasOptedOut()}grantConsent(){this.ty=!0}revokeConsent(){this.ty=!1,this.n.requireConsent?this.queue.ti():this.optOut()}resetIdentity(){this.c&&this.queue.resetIdentity()}tg(t){this.queue.tg(t)}async close(t){await this.rp(t),this.p=!0,this.rh?.forEach(t=>t()),this.tv.forEach(t=>t.rs())}get queue(){let{projectKey:t}=this.t,{ru:r}=this;if(r&&this.rc===t)return r;let e=s(t),n=this.tv.get(e)||this.tw(t);return this.rc=t,n!==r&&(r?.rs(),r&&this.n.persistence!=="persistent"&&r.flush(),this.tv.set(e,n),this.ru=n,n.et()),n}tw(t){return new rx(this.r,this.n,`svc.analytics.${this.namespace}.`,this.l(),(r,e)=>to(this.e,{...this.t,projectKey:t},{path:ty,raw:r,signal:e}),()=>!this.p&&(!this.n.requireConsent||this.ty),t=>this.e.f({message:t}),this.tl.namespace===undefined?undefined:(t??undefined))}async rp(t){let{ru:r}=this;r&&!this.p&&(await b(t,r.flush()),r.o(!0))}ee(){this.rh=this.rh||[this.r.en(()=>this.rp(2e3)),this.r.ea(()=>this.ei())]}ei(){let{queue:t,t:r,r:e}=this;if(!r.projectKey||!this.c)return;t.o(!0);let n=u({platform:r.platform,platform_version:r.platformVersion,client_time:tl(this.e)}),i=f(r,{path:ty}),{q:s}=t;while(t.entries.length){let r=t.ro(this.td,n),o=tg(r,n);if(this.td-=a(o).length,this.td<0||!e.es(i,o,()=>t.er(r,s)))break;t.remove(r)}t.o(!0)}}
let tx="0.1.0",tj="/public/{k}/logs";
class et{constructor(t,r,e){this.e=t,this.t=r,this.appVersion=e,this.u=[],this.x=new Map,this.tc=10,this.rf=0,this.dropped=0,this.z=0,this.tk=!1}capture(t,r={}){this.add(t,r)&&this.tp()}install(t={}){this.redact=t.redact;let{level:r}=t,e=[this.e.r.eo((t,e,n)=>{this.add(t,{level:r,source:e})&&!n?this.tp():n&&this.tx()})];if(t.console){let{error:t}=console,n=(...e)=>{t.apply(console,e),this.capture(e.find(t=>t instanceof Error)||e.map(String).join(" "),{level:r,source:"console"})};console.error=n,e.push(()=>{console.error===n&&(console.error=t)})}return()=>e.forEach(t=>t())}async flush(t=2e3){await b(t,this.tp())}async close(t){this.u.length&&await this.flush(t),clearTimeout(this.to)}add(t,r){if(this.tk||this.e.th||this.e.p.aborted)return!1;this.tk=!0;try{let e=this.e.r.a.d(),n=er(t),a=y([n.type,n.message,n.frame].join("\n")),i=this.x.get(a);if(i&&e-i.at<6e4)return i.repeated++,!1;if(this.tc=Math.min(10,this.tc+(e-this.rf)/6e3),this.rf=e,this.tc<1)return this.dropped++,!1;let s=[n.type,n.message].filter(Boolean).join(": "),{source:o}=r,l=(this.redact||(t=>t))({level:r.level??3,content:[...(n.stack?s+"\n"+n.stack:s).slice(0,8192)].slice(0,4096).join(""),...o&&{source:o.slice(0,128)},device_info:this.device(),custom_data:{...r.customData,fingerprint:a,...u({repeated:i?.repeated,dropped:this.dropped})}});if(this.x.delete(a),this.x.set(a,{at:e,repeated:0}),this.x.size>500&&this.x.delete(this.x.keys().next().value),!l)return!1;this.tc--,this.dropped=0;let{device_info:d,custom_data:c}=l,p=JSON.stringify({...l,device_info:tq(d),custom_data:tq(c)});return this.u.push({raw:p,projectKey:this.t.projectKey}),this.u.length>100&&this.u.shift(),!0}catch{return!1}finally{this.tk=!1}}device(){let{r:t}=this.e,{platform:r,platformVersion:e}=this.t;return u({sdk:"svc-sdk-js/"+tx,runtime:t.runtime(),os:r,os_version:r&&e,arch:t.arch(),app_version:this.appVersion})}tp(){return clearTimeout(this.to),this.s=this.s||Promise.resolve().then(()=>this.el()).finally(()=>this.s=undefined)}async el(){while(this.u.length){let[t]=this.u,{raw:r}=t,{status:e,after:n}=await to(this.e,this.rm(t),{path:tj,raw:r});if(x(e,1)==="retry"){this.to=h(()=>void this.tp(),k(5e3,++this.z,n));return}this.z=0,e>299&&this.e.f({message:"error report dropped",status:e}),this.u[0]===t&&this.u.shift()}}tx(){let{e:t}=this,r=this.u.pop();if(r&&t.r.tx){let e=this.rm(r);if(e.projectKey){let n={path:tj,raw:r.raw};t.r.tx(f(e,n),ts(t,e,n,null),r.raw)}}}rm({projectKey:t}){return{...this.t,projectKey:t??this.t.projectKey}}}
let tq=t=>t&&JSON.parse(th(t)||"{}"),
er=t=>{if(!(t instanceof Error))return{type:"",message:String(t),stack:"",frame:""};let{name:r,message:e,stack:n=""}=t,a=[r,e].filter(Boolean).join(": "),i=(n.startsWith(a)?n.slice(a.length):n).replace(/^\s*\n/,"").trimEnd(),s=(i.split("\n")[0]||"").trim().replace(/^at /,""),[,o,l]=/^(.*?) ?\((.*)\)$/.exec(s)||/^(.*?)@(.*)$/.exec(s)||["","",s],d=l.replace(/(:\d+)+$/,"").replace(/[?#].*/s,"").replace(/^.*[\\/]/s,"");return{type:r,message:e,stack:i,frame:d&&`${o||"<anonymous>"} (${d})`}},
ee=[[/^list/,"GET","?*"],[/^(get|preview|search|health|export)/,"GET",""],[/^(create|login)/,"POST","!"],[/^(update|change)/,"PATCH","!"],[/^(upsert|set|put)/,"PUT","!"],[/^(delete|clear|reset|revoke|abort)/,"DELETE",""],[/./,"POST",""]],
m=t=>{let r="";return t.split("\n").flatMap(t=>{let[e,...n]=t.split(" "),a=e.replace(/^\./,r);r=a===e?a:r;let i="";return n.flatMap(t=>{if(/^[A-Z]/.test(t))return i=t,[];let[,r,e,n]=/^(\w+)([=^]?)(.*)/.exec(t),[,s,o]=ee.find(([t])=>t.test(r)),l=r+i+(i&&r==="list"?"s":"");return[[l,e==="="?"PUT":e?"POST":s,a,n==="-"?"":n||o]]})})},
en=m(`/health health
/auth/login login`),ea=m(`/public/{k} Project get?l
./versions Version list?*l
./versions/latest LatestVersion get?l
./versions/latest-preview LatestPreviewVersion get?l
./versions/by-version/{v} Version get?l
./versions/check-update Update check!l
./announcements Announcement list?*lv
./announcements/latest LatestAnnouncement get?lv
./feedbacks/options FeedbackOptions get
./feedbacks Feedback create
./logs Log upload!
./events Events ingest!
./events/me MyData export? delete?
/public/terms Term list?l
./{slug} Terms get?l`),ei=m(`/admin/projects Project list create
./{k} Project get update delete
./statistics ProjectStatistics get
./codehost-repo-preview CodehostRepo preview?
./{k}/contents ProjectContents get
./{k}/aliases ProjectAliase list-
./{k}/aliases/{alias} ProjectAlias delete
./{k}/locales ProjectLocale list- create
./{k}/locales/{locale} ProjectLocale update delete
./{k}/versions Version list create
./{k}/versions/{id} Version get update delete
./{k}/versions/by-version/{v} Version upsert
./{k}/versions/update-check-simulation UpdateCheck simulate!
./{k}/versions/codehost-release-preview CodehostRelease preview?
./{k}/versions/codehost-release-import CodehostReleases import
./{k}/versions/{id}/mirror-assets VersionAssets mirror
/admin/versions/statistics VersionStatistics get
/admin/projects/{k}/announcements Announcement list create
./{id} Announcement get update delete
/admin/announcements/statistics AnnouncementStatistics get
/admin/projects/{k}/feedbacks Feedback list create
./{id} Feedback get update delete
./{id}/forward Feedback forward
/admin/feedbacks/statistics FeedbackStatistics get
/admin/projects/{k}/logs Log list create
./{id} Log update
/admin/logs/statistics LogStatistics get
/admin/projects/{k}/events/definitions EventDefinition list
./{id} EventDefinition get update delete
/admin/projects/{k}/events/stats/overview EventOverview get?
/admin/projects/{k}/events/stats/timeseries EventTimeseries get?
/admin/projects/{k}/events/stats/breakdown EventBreakdown get?
/admin/projects/{k}/events/stats/heatmap EventHeatmap get?
/admin/projects/{k}/events/analysis/funnel Funnel get^!
/admin/projects/{k}/events/analysis/retention Retention get^!
/admin/projects/{k}/events/analysis/paths Paths get^!
/admin/projects/{k}/events/analysis/query EventQuery run!
/admin/projects/{k}/events/dashboards/cards DashboardCard list- create
./{id} DashboardCard get update delete
/admin/projects/{k}/events/subjects/{distinct_id} EventSubject delete
/admin/projects/{k}/codehost-webhook CodehostWebhook get CodehostWebhookSecret set clear
./regenerate CodehostWebhookSecret regenerate+
/admin/codehost-app CodehostAppConfig get update= clear
./test CodehostApp test
/admin/projects/{k}/codehost-integration CodehostIntegration get update=
./repo-template CodehostIntegrationRepoTemplate get?
/admin/terms/documents TermsDocument list?
./{slug} TermsDocument get? update= reset?
/auth/me Me get
/auth/admin-profile AdminProfile get update
/auth/password Password change
/auth/account Account change
/auth/api-scopes ApiScope list-
/auth/api-keys ApiKey list- create
./{id} ApiKey get update revoke
./{id}/rotate ApiKey rotate!
/admin/projects/{k}/stats/requests/overview RequestOverview get?
/admin/projects/{k}/stats/requests/timeseries RequestTimeseries get?
/admin/projects/{k}/stats/requests/heatmap RequestHeatmap get?
/admin/projects/{k}/stats/requests/version-adoption VersionAdoption get?
/admin/projects/{k}/stats/requests/client-versions ClientVersions get?
/admin/projects/{k}/stats/requests/platform-versions PlatformVersions get?
/admin/projects/{k}/stats/logs LogLevelStats get?
/admin/projects/{k}/stats/feedbacks FeedbackRatingStats get?
/admin/translation TranslationConfig get update= clear
./test Translation test
/admin/projects/{k}/translate translate!
/admin/projects/{k}/files File list
./{id} File get delete
./{id}/retry File retry
./{id}/refresh-cdn FileCdn refresh
./uploads Upload list- create
./uploads/{upload_id} Upload get abort
./uploads/{upload_id}/chunks/{index} UploadChunk put#
./uploads/{upload_id}/complete Upload complete
/admin/storage Storage get
./backends StorageBackend create
./backends/{id} StorageBackend update delete
./backends/{id}/test StorageBackend test
./cdn CdnConfig get update= clear
./cdn/test CdnConfig test
/admin/search search?
/admin/markdown-preview Markdown preview^!
/admin/status Status get
/admin/about About get?`),
g=(t,r)=>{let e={};for(let[n,a,i,s]of t){let t=i.replace("{k}","").split("{").length-1,o=s[0]||"",l=async(...e)=>{let n=o?e[t]:{},{signal:l,extra:d,ifMatch:c,onETag:p}=e[o?t+1:t]||{},h={method:a,path:i,signal:l,ifMatch:c,onETag:p,rk:e.slice(0,t).map(t=>String(t??""))};o==="#"&&(h.raw=n);let u=o==="#"?{}:{...n,...d};return o==="?"||a==="GET"?h.rx=u:(o==="!"||Object.keys(u).length)&&(h.body=u),r(s,h,u)};e[n]=l,s.includes("*")&&(e[n.replace("list","iter")]=async function*(t,r){for(let e=0;;){let n=await l({...t,limit:100,offset:e},r);if(yield*n.data,e+=n.data.length,!n.data.length||e>=n.total)return}})}return e},
tz=()=>import(from$+"svc-sdk-91c31ce9c49b6208.transfers.js").then(({default:$})=>$(v,e,n,r,td,w,ta,t)).catch(t=>{throw r("connect",t)});
class rt{constructor(t,r,e,n,a){this.e=t,this.t=r,this.answer=e,this.checkedAt=n,this.remembered=a,this.decision=rm(e),this.target=e.target_version,this.reasonCodes=e.reason_codes;let i=this.target?.download_links||[],s=rh(i,r.platform,t.r.eb);this.link=s===null?null:i[s]}async download(r,e={}){let n=e.link||this.link,a=n?.url||"";if(!/^https?:\/\//i.test(a)||/^http:/i.test(a)&&/^https:/i.test(this.t.baseUrl))throw new t(n?"the link cannot be downloaded safely: "+a.replace(/[?#].*/s,""):"there is no link for this platform");let{download:i}=await tz();return i(this.e,a,r,e)}}
class eo{constructor(t,r,e,n,a){this.e=t,this.t=r,this.analytics=e,this.ed=n,this.appVersion=a,this.s=new Map}async check(e={}){let a=e.currentComparableVersion,i=e.currentVersion??(a?undefined:(this.appVersion??undefined));if(!i&&!a)throw new t("currentVersion is needed, or appVersion of the client");let s=e.locale===undefined?this.t.locale:e.locale,o=!!e.includePreview,l=[i,a,o,s].map(t=>t??"").join("|"),d=`svc.updates.${this.analytics.namespace}.last`,c=(e.intervalMs??216e5)/1e3,p=Math.floor(this.e.r.a.now()/1e3),h=this.ec(d);if(h&&h.key===l&&!e.force&&!rf(h,c,p))return new rt(this.e,this.t,h.answer,h.checked_at,!0);let u=d+"\n"+l,f=this.s.get(u);if(!f){let t=new AbortController,r={current_version:i,current_comparable_version:a,include_preview:e.includePreview,locale:s};f={waiting:0,control:t,update:this.ep(d,l,c,p,r,t.signal)},this.s.set(u,f)}let{control:m,update:g}=f;f.waiting++;let{value:b,cause:v,failure:y}=await n(0,e.signal,()=>g);if(--f.waiting||(this.s.delete(u),m.abort()),y)throw y==="aborted"?r(y,v):v;return b}async ep(t,r,e,n,a,i){let s=await this.ed.checkUpdate(a,{signal:i}),o=n+e*(1+this.e.r.a.random()/5);return this.eh(t,{checked_at:n,next_at:Math.floor(o),key:r,answer:s}),new rt(this.e,this.t,s,n,!1)}ec(t){if(this.rg?.name===t)return this.rg.memory;try{let r=JSON.parse(this.analytics.l(".updates")?.read([t])[0]||"null");if(r&&typeof r.answer.should_update==="boolean"&&Number.isFinite(r.checked_at+r.next_at))return r}catch{}return null}eh(t,r){this.rg={name:t,memory:r};let e=JSON.stringify(r);e.length>262144&&(e=JSON.stringify(r,(t,r)=>t==="content"?null:r));try{this.analytics.l(".updates")?.write({[t]:e})}catch{this.e.f({message:"local state cannot be kept"})}}}
class el{constructor(r,e){this.rb=new AbortController;let n=rn(String(r.baseUrl));if(!n)throw new t("baseUrl must start with http:// or https://");n.replace(/^.*?:\/\/[^/]*/,"").includes("/api/v")||console.warn("svc-sdk: baseUrl has no /api/v… in its path");let a=r.timeoutMs??15e3,i=r.retries??3;if(!(a>=0&&i>=0))throw new t("timeoutMs and retries must not be negative");let s=r.appIdentifier||"",l={...r.headers};if([s,...Object.entries(l).flat()].some(t=>/[\r\n]/.test(t)))throw new t("appIdentifier and headers must not contain line breaks");let{logger:d}=r;this.t={baseUrl:n,projectKey:r.projectKey||null,token:r.token||null,platform:o(r.platform===undefined?e.platform():r.platform),platformVersion:o(r.platformVersion===undefined&&r.platform!==null?e.platformVersion():r.platformVersion),locale:r.locale??null},this.e={r:e,fetch:r.fetch||((t,r)=>fetch(t,r)),timeoutMs:a,retries:i,headers:l,userAgent:e.tj&&[`${e.tj}/${tx}`,s].filter(Boolean).join(" "),rj:r.sendClientTime??!0,p:this.rb.signal,th:!1,f(t){let{th:r}=this;this.th=!0;try{d?.(t)}catch{}this.th=r}};let c=r.appVersion??null,p=this.analytics=new rz(this.e,this.t,r.analytics||{}),h=t=>(r,e,n)=>{let{locale:a}=this.t;return r.includes("l")&&n.locale===undefined&&a&&(n.locale=a),r.includes("v")&&n.version===undefined&&c&&(n.version=c),ti(this.e,this.t,{...e,admin:t})};this.rv=g(en,h(!1));let u=g(ea,this.ry(h(!1),c));for(let t of["track","flush","optOut","optIn","hasOptedOut","grantConsent","revokeConsent","resetIdentity"])u[t]=p[t].bind(p);Object.defineProperty(u,"distinctId",{get:()=>p.distinctId,enumerable:!0}),this.public=u,this.admin=g(ei,this.ry(h(!0),c)),this.admin.uploadFile=async(t,r,n={})=>(await tz()).upload(e,this.admin,t,r,n),this.updates=new eo(this.e,this.t,p,this.public,c),this.logs=new et(this.e,this.t,c)}get projectKey(){return this.t.projectKey}health(t){return this.rv.health(t)}async login(t,r,e){let n=await this.rv.login({username:t,password:r},e);return this.t.token=n.access_token,n}setToken(t){this.t.token=t}clearToken(){this.t.token=null}setProjectKey(t){this.t.projectKey=t||null}setPlatform(t){this.t.platform=o(t)}setPlatformVersion(t){this.t.platformVersion=o(t)}setLocale(t){this.t.locale=t}async close({timeoutMs:t=2e3}={}){this.e.p.aborted||(await Promise.all([this.analytics.close(t),this.logs.close(t)]),this.rb.abort())}ry(r,e){return(n,a,i)=>{let{method:s,path:o}=a;if(o.endsWith("/events/me")){let r=i.distinct_id??(i.distinct_id=this.analytics.distinctId);if(!r)throw new t("there is no identifier: nothing is collected");s==="DELETE"&&this.analytics.tg(r)}if(o.endsWith("/check-update")){if(i.locale===null&&delete i.locale,i.current_version==null&&i.current_comparable_version==null){if(!e)throw new t("current_version or current_comparable_version is needed");i.current_version=e}}if(o==="/public/{k}/feedbacks"&&i.forward_to_codehost===!0&&!String(i.contact??"").trim())throw new t("contact is needed when feedback is forwarded");return o==="/admin/projects"&&s==="POST"&&i.project_key===undefined&&this.projectKey&&(i.project_key=this.projectKey),i.refresh===!1&&delete i.refresh,r(n,a,i)}}}
let eh={debug:0,info:1,warning:2,error:3},ed={read:t=>localStorage.getItem(t),write:(t,r)=>localStorage.setItem(t,r),remove:t=>localStorage.removeItem(t)},
d=(t,r,e)=>(t?.addEventListener(r,e),()=>t?.removeEventListener(r,e)),
ec={a:rr,tj:null,fetch:(t,r,e)=>t(r,e),platform:()=>globalThis.navigator?"web":"others",platformVersion:()=>null,arch:()=>null,runtime:()=>globalThis.navigator?.userAgent||"",l(){try{return globalThis.localStorage?tk(ed):null}catch{return null}},doNotTrack(){let{navigator:t,window:r}=globalThis;return t?.globalPrivacyControl===!0||[t?.doNotTrack,r?.doNotTrack].some(t=>t==="1"||t==="yes")},en:()=>()=>undefined,ea(t){let{document:r,window:e}=globalThis,n=[d(r,"visibilitychange",()=>{r.visibilityState==="hidden"&&t()}),d(r&&e,"pagehide",t)];return()=>n.forEach(t=>t())},es(t,r,e){let n=globalThis.location&&new URL(t).origin===location.origin,a=n?"application/json":"text/plain;charset=UTF-8";try{return typeof navigator.sendBeacon==="function"&&navigator.sendBeacon(t,new Blob([r],{type:a}))?!0:(fetch(t,{method:"POST",body:r,headers:{"content-type":a},keepalive:!0,credentials:"omit"}).catch(e),!0)}catch{return!1}},eo(t){let r=[d(globalThis,"error",r=>{let{error:e,message:n}=r;t(e||n,"uncaught")}),d(globalThis,"unhandledrejection",r=>{t(r.reason,"uncaught")})];return()=>r.forEach(t=>t())},tw:()=>Promise.reject(new t("there are no paths here: pass a Blob or a stream")),eu:()=>Promise.reject(new t("there are no paths here: pass a WritableStream, or nothing"))};
class eu extends el{constructor(t){super(t,ec)}}
globalThis.SvcSDK={SvcClient:eu,SvcSDK:eu,LogLevel:eh,SvcApiError:p,SvcAuthError:c,SvcConnectionError:e,SvcError:t,compareVersions:ep,isComparableVersion:rg,SDK_VERSION:tx};globalThis.SvcClient=eu})();
