/*! svc-sdk 0.1.0 | Apache-2.0 */
class t extends Error{constructor(t,r){super(t),this.name=new.target.label,r!==undefined&&Object.defineProperty(this,"cause",{value:r,configurable:!0})}}
t.label="SvcError";
class m extends t{}
m.label="SvcAuthError";
class i extends t{constructor(t,r,e,n,a,i){super(r),this.status=t,this.body=e,this.retryAfter=n,this.method=a,this.path=i}toString(){return`[${this.status}] ${this.message}`}}
i.label="SvcApiError";
class n extends t{constructor(t,r,e=!1){super(t,r),this.timeout=e}}
n.label="SvcConnectionError";
let ri={now:()=>Date.now(),c:()=>performance.now(),random:()=>Math.random(),et:(t,r)=>new Promise(e=>{let n=()=>{clearTimeout(a),r.removeEventListener("abort",n),e()},a=setTimeout(n,t);r.addEventListener("abort",n),r.aborted&&n()})},k=2**31-1,
s=(t,r)=>{let e=setTimeout(t,r);return e.unref?.(),e},
o=async(t,r)=>{let e,n=new Promise(r=>e=setTimeout(()=>r(undefined),t));return Promise.race([r,n]).finally(()=>clearTimeout(e))},
rs=new TextEncoder,l=t=>rs.encode(t),x=t=>[...t].map(t=>t.toString(16).padStart(2,"0")).join(""),g=t=>Object.fromEntries(Object.entries(t).filter(([,t])=>t)),d=t=>t.replace(/[A-Z]+/g,t=>t.toLowerCase()),
j=t=>{let r=2166136261;for(let e of l(t))r=Math.imul(r^e,16777619);return(r>>>0).toString(16).padStart(8,"0")},
ro=t=>{let r=t.trim().replace(/\/+$/,"");return/^https?:\/\//i.test(r)?r:null},
rl=t=>{let[,r,e]=/^(.*?):\/\/([^/?#]*)/s.exec(t.trim())||[];if(r===undefined)return d(t.trim());let n=d(r+"://"+e.replace(/^.*@/s,""));return n.replace(/:$/,"").replace(/^(http:.*):80$|^(https:.*):443$/s,"$1$2")},
c=t=>d((t||"").trim()),rd=(t,r)=>j(rl(t))+"-"+(c(r)||"default"),
rc=(t,r)=>{let e=new Date(t+r*1e3),n=Number.isNaN(+e)?"":e.toISOString();if(r%60||n.length!==24)return null;let a=Math.abs(r/60),i=t=>String(t).padStart(2,"0");return n.slice(0,23)+(r<0?"-":"+")+i(Math.floor(a/60))+":"+i(a%60)},
p=t=>(t||"").replace(/[^!-~]+/g," ").trim().slice(0,32).trim()||null,rp=t=>/^\.{0,2}$/.test(t)?null:encodeURIComponent(t),
rh=(t,r)=>{let e=(t||"").trim();if(/^\d+$/.test(e))return+e;let n=/^[A-Za-z]+,? /.test(e)?Date.parse(e):NaN;return Number.isNaN(n)?null:Math.max(0,Math.ceil(n/1e3-r))},
q=(t,r,e,n,a,i=0)=>{let s=/^(50[234]|dns|connect|connect_timeout|tls_handshake|stale_connection)$/;return!/^(GET|HEAD)$/.test(t)||r>=e||!s.test(String(n))||(a||0)>30?null:Math.max(Math.min(300*2**r,5e3)*(1+i/4),(a||0)*1e3)},
z=(t,r,e)=>Math.max(Math.min(t*2**(r-1),6e4),Math.min((e||0)*1e3,36e5)),
tt=(t,r)=>t>=200&&t<300?"drop_batch":[400,413,422].includes(t)?r>1?"split":"drop_batch":[401,403,404,405,410].includes(t)?"hold":"retry",
tr=t=>{let r=d(String(t).trim());return/^[a-z0-9_.:-]{1,64}$/.test(r)?r:null},
ru=(t,r)=>{let{message:e,error:n}=r||{},a=Array.isArray(e)?e.join("; "):e;return[a,n].find(t=>!!t&&typeof t==="string")||`HTTP ${t}`},
rf=t=>{let r={};for(let e of t.split("|")){let t=e.split(" ");t.forEach(e=>r[e]=t[0])}return r},
te=rf("windows win win32 win64 .exe .msi .msix|macos mac osx darwin .dmg .pkg|linux .deb .rpm .appimage .flatpak .snap|android .apk .aab|ios iphone ipad .ipa|web wasm"),rm=t=>t.toLowerCase().replace(/x86[_-]64/g,"amd64").split(/[^a-z0-9]+/),tn=(t,r)=>new Set(r.map(r=>t[r]).filter(Boolean)),
rg=(t,r,e=()=>0)=>{let n=null,a=6;return t.forEach((t,i)=>{let s=rb(t.url.replace(/[?#].*/s,"").replace(/.*\//s,"")),o=[t.platform||"",t.name||"",s].map(rm),l=(/\.\w+$/.exec(s.toLowerCase())||[])[0]||"",d=(t.platform||"").trim()?tn(te,o[0]):[o[1],o[2],[l]].map(t=>tn(te,t)).find(t=>t.size),c=e(o),p=!r||c>2||d&&!d.has(r)?9:c+(d?0:3);p<a&&(a=p,n=i)}),n},
rb=t=>{try{return decodeURIComponent(t)}catch{return t}},
rv=(t,r,e)=>!t||!(e<t.next_at&&e>=t.checked_at&&e<t.checked_at+r*1.2),
ry=t=>t.required?"required":t.should_update?t.milestone.target_is_milestone?"milestone":"optional":"none",
ta=/^(\d+(?:\.\d+)*)(?:-(alpha|beta|rc)(?:\.(\d+(?:\.\d+)*))?)?$/,ti=t=>ta.test(t),
rw=t=>{let r=t.trim().replace(/^v/i,"");return ti(r)?r:null},
eg=(t,r)=>{let[e,n]=[t,r].map(t=>{let r=ti(t)&&ta.exec(t);if(!r)throw new RangeError(`not a comparable version: ${JSON.stringify(t)}`);return r});return ts(e[1],n[1])||to(e[2]||"z",n[2]||"z")||ts(e[3]||"0",n[3]||"0")},
to=(t,r)=>t<r?-1:t>r?1:0,
ts=(t,r)=>{let[e,n]=[t.split("."),r.split(".")];for(let t=0;t<Math.max(e.length,n.length);t++){let r=to(BigInt(e[t]||0),BigInt(n[t]||0));if(r)return r}return 0},
h=()=>{if(crypto.randomUUID)return crypto.randomUUID();let t=crypto.getRandomValues(new Uint8Array(16));return t[6]=t[6]&15|64,t[8]=t[8]&63|128,x(t).replace(/(.{8})(.{4})(.{4})(.{4})/,"$1-$2-$3-$4-")},
rk=32<<20,
a=async({l:t},r,e,n,a=!1)=>{let i=new AbortController,o="",l,d=new Promise((t,r)=>{l=t=>{o=o||t,i.abort(),r(e?.reason??new Error(t))}}),c=()=>l("aborted"),p=()=>l("read_timeout"),h=r&&r<=k?(a?s:setTimeout)(p,r):undefined,u=[e,t];u.forEach(t=>t?.addEventListener("abort",c));try{return u.some(t=>t?.aborted)&&(c(),await d),{value:await Promise.race([d,n(i.signal)]),failure:null}}catch(t){return{cause:t,failure:o||"connect"}}finally{clearTimeout(h),u.forEach(t=>t?.removeEventListener("abort",c)),i.abort()}},
r=(t,r)=>{let e={read_timeout:"the time limit ran out",aborted:"the request was cancelled",body:"the answer broke off",large:"the answer is larger than 32 MiB"},a=t==="connect"||t==="body"?rx(r):"";return new n((e[t]||"no connection")+(a&&": "+a),r,t==="read_timeout")},
rx=t=>{let r=[];for(let e=t;e&&typeof e==="object"&&r.length<8;e=e.cause||e.errors?.[0]){let{code:t,message:n=""}=e,a=typeof t!=="string"||n.includes(t);r.push(a?n:`${n} (${t})`.trim())}return r.filter(Boolean).join(": ").replace(/[\w+.-]+:\/\/[^\s)"']*/g,"the address")},
b=({l:r})=>{if(r.aborted)throw new t("the client is closed")},
tl=async(t,e,n)=>{let{failure:i,cause:s}=await a(t,0,n,()=>t.e.a.et(e,t.l));if(b(t),i)throw r(i,s)},
td=async(t,e,n)=>{b(t);let s={...e},{method:o="POST",path:l,signal:d,tu:c}=n,{e:p,re:h}=t,{a:u}=p,f=v(s,n),m=n.admin?await rj(s.token):null;for(let e=0;;e++){let g=u.c(),v={method:o,headers:tc(t,s,n,m),credentials:"omit",body:n.raw??(n.body===undefined?null:JSON.stringify(n.body))},y="",w=a(t,t.timeoutMs,d,async r=>{let e=()=>p.fetch(t.fetch,f,{...v,signal:r}),n=await(c&&p.tu?p.tu(e):e());y="body";let a=await rq(n,()=>y="large"),{headers:i}=n;return{status:n.status,text:a,etag:i.get("etag"),after:rh(i.get("retry-after"),u.now()/1e3)}},c);h.add(w);let{value:k,cause:x,failure:j}=await w;h.delete(w),j&&b(t);let z=k?k.status:0,tt=z>=200&&z<300;if(t.f({message:"request",method:o,path:l,status:z,attempt:e+1,durationMs:u.c()-g}),tt&&!k.text.trim())return null;let tr=k&&rz(k.text);if(tt&&tr.json)return k.etag&&n.onETag?.(k.etag),tr.value;let te=j==="connect"&&y?y:j,tn=q(o,e,t.retries,te||z,k?k.after:null,u.random());if(tn===null||d?.aborted)throw k?new i(z,ru(z,tr.value),tr.value,k.after,o,l):r(te,x);await tl(t,tn,d)}},
tp=async(t,r,e)=>{try{return{...await td(t,r,{...e,tu:!0}),status:202}}catch(t){return t instanceof i?{status:t.status,after:t.retryAfter,message:t.message}:{status:0}}},
v=(r,{path:e,er:n=[],ee:a={}})=>{let i=0,s=e.replace(/{(\w+)}/g,(e,a)=>{if(a==="k"&&!r.projectKey)throw new t("no project is bound: set projectKey");let s=rp(String((a==="k"?r.projectKey:n[i++])??""));if(!s)throw new t(`${a} must not be empty, "." or ".."`);return s}),o=Object.entries(a).filter(([,t])=>t!=null).map(([t,r])=>encodeURIComponent(t)+"="+encodeURIComponent(String(r)));return r.baseUrl+s+(o.length?"?"+o.join("&"):"")},
rj=async t=>{let r;try{r=await t()}catch(t){throw new m("the token function failed",t)}if(!r)throw new m("this method needs a credential: set token or log in");return r},
th=({en:t,e:r})=>{let e=r.a.now();return t?rc(e,new Date(e).getTimezoneOffset()*-60):null},
tc=(r,e,n,a)=>{let i=n.raw==null||typeof n.raw==="string";try{let t=new Headers(r.headers());for(let[s,o]of[["accept","application/json"],["authorization",a&&"Bearer "+a],["user-agent",r.userAgent],["if-match",n.ifMatch],["content-type",n.raw==null&&n.body===undefined?null:i?"application/json":"application/octet-stream"],["x-svc-platform",e.platform],["x-svc-platform-version",e.platformVersion],["x-svc-client-time",th(r)]])o?t.set(s,o):s!=="user-agent"&&t.delete(s);return t}catch{throw new t("a header has a value that cannot be sent")}},
tu=t=>{let r=t.body?.getReader();return async()=>(await r?.read())?.value},
rq=async(t,r)=>{let e=tu(t),n=new TextDecoder,a="",i=0;for(let t;t=await e();){if(i+=t.length,i>rk)throw r(),new Error("too large");a+=n.decode(t,{stream:!0})}return a+n.decode()},
rz=t=>{try{return{json:!0,value:JSON.parse(t)}}catch{return{json:!1,value:t.slice(0,65536)}}},
e=(r,e,n="")=>{let a=new Map(e.split(" ").map(t=>t.split(":")));for(let[e,i]of Object.entries(r)){let r=a.get(e);if(!r)throw new t(`${n}${e.slice(0,64)} is not an option; there are ${[...a.keys()].join(", ")}`);if(i!=null&&!r.split("|").includes(typeof i))throw new t(`${n}${e} must be of type ${r.replace("|"," or ")}, not ${typeof i}`)}},
tf=/^[ -~]{1,128}$/,et=65536,tm=16384;
class er{constructor(t,r,e,n,a,i,s,o){this.e=t,this.n=r,this.rn=e,this.d=n,this.ea=a,this.ei=i,this.f=s,this.j=o,this.entries=[],this.b=!1,this.sent=0,this.dropped=0,this.ra=0,this.q=0,this.abort=new AbortController,this.te=new Set,this.tf=!1,this.tn=!0,this.ri=-Infinity,this.z=0,this.h=0,this.v=0,this.y=new Set,this.tt=!1}get p(){return this.n.enabled?(this.ta(),this.rs)?((this.i||this.entries.length||this.m("distinct_id")!=null||this.m("queue")!=null)&&this.ti(),!1):!this.b&&this.ei():!1}hasOptedOut(){return this.ta(),this.b}get rs(){return this.n.respectDoNotTrack&&this.e.doNotTrack()}get ro(){if(!this.i){let t=this.m("distinct_id");this.i=t&&tf.test(t)?t:h(),this.i!==t&&(this.tt=!0,this.o(!0))}return this.i}track(t,r){let e=tr(t);if(!e){this.ts(String(t),"invalid name");return}let n=r==null?"":tg(r);if(n.length*3>tm&&l(n).length>tm){this.ts(e,"properties over 16 KiB");return}let{c:a,now:i}=this.e.a,s=a();(!this.session||s-this.ra>this.n.sessionTimeoutMs)&&(this.session=h()),this.ra=s;let o=!this.i,d=tb(h(),e,Math.floor(i()/1e3),n,this.ro,this.session,this.j);this.entries.push(d),this.trim(),this.o(o),this.entries.length>=this.n.batchSize&&this.to(),this.w()}async flush(){let{sent:t,dropped:r}=this;this.h=Math.min(this.h,2);let e=this.p;while(e&&this.entries.length)e=await(this.s||this.tm(!0));return{sent:this.sent-t,dropped:this.dropped-r,pending:this.entries.length}}ti(){this.q++,this.abort.abort(),this.abort=new AbortController,this.entries=[],this.te=new Set,this.y.clear(),this.i=this.session=undefined,this.tt=!1,this.rl(),this.tg({distinct_id:null,queue:null})}rd(t){this.ta(),t&&this.ti(),this.b=t,this.tg({opt_out:t?"1":null})}resetIdentity(){this.i=h(),this.session=undefined,this.tt=!0,this.o(!0)}tb(t){this.ta(),this.remove(this.entries.filter(r=>r.i===t)),this.o(!0)}rc(){this.tn=!1,this.rl(),this.tf&&this.o(!0)}es(){this.tn=!0,this.h&&(this.h=this.v=0),this.w()}async ew(){while(this.s)await this.s}o(t=!1){if(!this.d||this.n.persistence!=="persistent"||this.tr&&!t)return;let r=this.ri+1e3-this.e.a.c();if(!t&&r>0){this.tr=s(()=>this.o(!0),r);return}if(clearTimeout(this.tr),this.tr=undefined,this.ri=this.e.a.c(),this.m("opt_out")==="1"&&!this.b){this.ti(),this.b=!0;return}let e=new Set(this.entries.map(t=>t.g)),n=tv(this.m("queue")).filter(t=>!e.has(t.g)&&!this.y.has(t.g)),a=[...n,...this.entries].slice(-this.n.maxQueueSize);this.y.clear(),this.tg({queue:a.length?"["+a.map(ee).join()+"]":null,...this.tt&&{distinct_id:this.i}}),this.tt=!1}rp(t,r={}){let[e]=this.entries,n=t-ty(e,r).length-2,a=this.entries.findIndex((t,r)=>(n-=t.size+(r?2:1),r&&(t.i!==e.i||t.session!==e.session||r===this.n.batchSize||n<0)));return this.entries.slice(0,a<0?undefined:a)}eo(t,r){r===this.q&&(t.forEach(({g:t})=>this.y.delete(t)),this.entries=[...t,...this.entries],this.trim(),this.o(!0),this.w())}remove(t){let r=new Set(t.map(t=>t.g));r.forEach(t=>this.y.add(t)),this.entries=this.entries.filter(t=>!r.has(t.g))}trim(){while(this.entries.length>this.n.maxQueueSize){let t=this.entries.findIndex(t=>!this.te.has(t)),r=this.entries[t];for(let r=t;r>0;r--)this.entries[r]=this.entries[r-1];this.entries.shift(),this.y.add(r.g),this.ts(r.name,"queue full")}}ts(t,r){this.dropped++,this.n.onDrop(t,r)}to(){!this.s&&this.tn&&this.h<3&&this.e.a.c()>=this.v&&this.p&&this.tm(!1)}w(){if(this.entries.length&&!this.k&&this.tn&&this.h<3){let t=this.v-this.e.a.c();this.k=s(()=>{this.k=undefined,this.p&&!this.s&&this.e.a.c()>=this.v?this.tm(!0):this.w()},t>0?t:this.n.flushIntervalMs)}}rl(){clearTimeout(this.k),clearTimeout(this.tr),this.k=this.tr=undefined}tm(t){let r=Promise.resolve().then(async()=>{while(this.entries.length>=(t?1:this.n.batchSize)){if(!this.p||!await this.tv(this.rp(et)))return!1}return!0}).finally(()=>{this.s=undefined,this.w()});return this.s=r}async tv(t){let{q:r,n:e}=this;this.te=new Set(t);let{status:n,after:a,message:i,rejected:s}=await this.ea(tw(t),this.abort.signal);if(r!==this.q)return!1;this.te=new Set;let o=tt(n,t.length);if(o==="split"){let r=t.length>>1,e=()=>t.slice(r).filter(t=>this.entries.includes(t));return await this.tv(t.slice(0,r))&&(!e().length||this.tv(e()))}if(o==="drop_batch")return this.remove(t),this.z=this.h=0,this.v=0,n<300?(this.sent+=t.length,(s||[]).forEach(r=>e.onDrop(t[r.index]?.name||"",r.message))):this.ts(t[0].name,i||"refused"),this.o(),!0;let l=6e4;return o==="hold"?this.h++:(this.h=0,l=z(e.flushIntervalMs,++this.z,a)),this.v=this.e.a.c()+l,clearTimeout(this.k),this.k=undefined,this.o(!0),!1}ta(){if(!this.tf){if(this.tf=!0,this.b=this.m("opt_out")==="1",this.n.persistence==="persistent"){let t=tv(this.m("queue")).filter(({j:t})=>!t||c(t)===c(this.j));this.entries=t.slice(-this.n.maxQueueSize),this.w()}}}m(t){if(!this.d||this.n.persistence!=="persistent"&&t!=="opt_out")return null;try{return this.d.read([this.rn+t])[0]??null}catch{return this.rh()}}tg(t){let r={};for(let e of Object.keys(t))(this.n.persistence==="persistent"||e==="opt_out")&&(r[this.rn+e]=t[e]);try{this.d?.write(r)}catch{this.rh()}}rh(){return this.d=null,this.f("local state cannot be kept"),null}}
let tb=(t,r,e,n,a,i,s)=>{let o=tk({event_id:t,name:r,occurred_at:e})+(n&&',"properties":'+n);return{g:t,name:r,i:a,session:i,j:s,ru:o,size:l(o).length}},
tk=t=>JSON.stringify(t).slice(0,-1),ty=({i:t,session:r},e)=>tk({distinct_id:t,session_id:r,...e})+',"events":[',tw=(t,r={})=>ty(t[0],r)+t.map(t=>t.ru+"}").join()+"]}",ee=({ru:t,i:r,session:e,j:n})=>t+","+JSON.stringify({distinct_id:r,session_id:e,project_key:n}).slice(1),
tv=t=>{let r;try{r=JSON.parse(t||"[]")}catch{}let e=[];for(let t of Array.isArray(r)?r:[]){let{event_id:r,name:n,occurred_at:a,properties:i,distinct_id:s,session_id:o,project_key:l}=t||{};if([r,s].every(t=>typeof t==="string"&&tf.test(t))&&tr(n)===n&&Number.isSafeInteger(a)&&(o==null||typeof o==="string"&&o.length<=128)&&(l==null||typeof l==="string")&&(i==null||typeof i==="object"&&!Array.isArray(i))){let t=i?JSON.stringify(i):"",d=[o,l].map(t=>t??undefined);e.push(tb(r,n,a,t,s,d[0],d[1]))}}return e},
tg=t=>{let r=t=>JSON.stringify(t,(t,r)=>/^(bigint|function|symbol)$/.test(typeof r)?String(r):r);if(!t||typeof t!=="object"||Array.isArray(t))return"";let e=tx(()=>r(t));if(e?.[0]!=="{"){let n=[];for(let e of Object.keys(t)){let a=tx(()=>[r(t[e])])||['"[unreadable]"'];a[0]&&n.push(JSON.stringify(e)+":"+a[0])}e="{"+n.join()+"}"}return e==="{}"?"":e},
tx=t=>{try{return t()}catch{return undefined}},
tj="/public/{k}/events",tq=6e4,tz=t=>({read:r=>r.map(r=>t.read(r)??null),write(r){for(let[e,n]of Object.entries(r))n===null?t.remove(e):t.write(e,n)}}),
en=(r,n)=>{e(r,"enabled:boolean requireConsent:boolean persistence:string flushIntervalMs:number batchSize:number maxQueueSize:number sessionTimeoutMs:number respectDoNotTrack:boolean namespace:string storage:object onDrop:function","analytics.");let a=(e,n,a)=>{let i=r[e]??n;if(!(i>=a))throw new t(`analytics.${e} must be ${a===1?"at least 1":"more than 0"}`);return i},i=r.persistence??"persistent";if(!["persistent","device","session","none"].includes(i))throw new t("analytics.persistence must be persistent, session or none");let s=new Set;return{enabled:r.enabled??!0,requireConsent:r.requireConsent??!1,persistence:i==="device"?"persistent":i,flushIntervalMs:a("flushIntervalMs",5e3,Number.MIN_VALUE),batchSize:Math.min(a("batchSize",20,1),50),maxQueueSize:a("maxQueueSize",500,1),sessionTimeoutMs:a("sessionTimeoutMs",18e5,Number.MIN_VALUE),respectDoNotTrack:r.respectDoNotTrack??!0,onDrop(t,e){!s.has(t)&&s.size<500&&(s.add(t),n("event dropped: "+e));try{r.onDrop?.(t,e)}catch{}}}};
class ea{constructor(t,r,e){this.r=t,this.t=r,this.tl=e,this.ty=new Map,this.rf=null,this.tw=!1,this.l=!1,this.td=tq,this.tk=()=>this.rm(2e3),this.e=t.e,this.n=en(e,r=>t.f({message:r}))}get namespace(){return this.tl.namespace??rd(this.t.baseUrl,this.t.projectKey)}d(t=""){return this.n.persistence==="none"?null:this.tl.storage?tz(this.tl.storage):this.e.d(this.namespace,t)}get p(){return!this.l&&this.queue.p}get distinctId(){return this.p?this.queue.ro:null}track(t,r){try{this.p&&(this.el(),this.td=tq,this.queue.track(t,r))}catch{this.r.f({message:"event not collected"})}}flush(){return o(k,this.queue.flush())}optOut(){this.queue.rd(!0)}optIn(){this.queue.rd(!1)}hasOptedOut(){let{queue:t}=this;return t.rs||t.hasOptedOut()}grantConsent(){this.tw=!0}revokeConsent(){this.tw=!1,this.n.requireConsent?this.queue.ti():this.optOut()}resetIdentity(){this.p&&this.queue.resetIdentity()}tb(t){this.queue.tb(t)}async close(t){await this.rm(t),this.l=!0,this.tc?.forEach(t=>t()),this.ty.forEach(t=>t.rc())}get queue(){let{projectKey:t}=this.t,{rg:r}=this;if(r&&this.rf===t)return r;let e=c(t),n=this.ty.get(e)||this.tx(t);return this.rf=t,n!==r&&(r?.rc(),r&&this.n.persistence!=="persistent"&&r.flush(),this.ty.set(e,n),this.rg=n,n.es()),n}tx(t){return new er(this.e,this.n,`svc.analytics.${this.namespace}.`,this.d(),(r,e)=>tp(this.r,{...this.t,projectKey:t},{path:tj,raw:r,signal:e}),()=>!this.l&&(!this.n.requireConsent||this.tw),t=>this.r.f({message:t}),this.tl.namespace===undefined?undefined:(t??undefined))}async rm(t){let{rg:r}=this;r&&!this.l&&(await o(t,r.flush()),r.o(!0))}el(){let t=this.e.rb(this.tk);this.tc=this.tc||[t,this.e.ed(()=>this.ec())]}ec(){let{queue:t,t:r,e:e}=this;if(!r.projectKey||!this.p)return;t.o(!0);let n=g({platform:r.platform,platform_version:r.platformVersion,client_time:th(this.r)}),a=v(r,{path:tj}),{q:i}=t;while(t.entries.length){let r=t.rp(this.td,n),s=tw(r,n);if(this.td-=l(s).length,this.td<0||!e.ep(a,s,()=>t.eo(r,i)))break;t.remove(r)}t.o(!0)}}
let y=(t,r)=>{let n={};for(let[a,i,s,o]of t){let t=s.replace("{k}","").split("{").length-1,l=o[0]||"",d=async(...n)=>{let a=l?n[t]:{},d=n[l?t+1:t]||{};e(d,"signal:object extra:object ifMatch:string onETag:function");let{signal:c,extra:p,ifMatch:h,onETag:u}=d,f={method:i,path:s,signal:c,ifMatch:h,onETag:u,er:n.slice(0,t).map(t=>String(t??""))};l==="#"&&(f.raw=a);let m=l==="#"?{}:{...a,...p};return l==="?"||i==="GET"?f.ee=m:(l==="!"||Object.keys(m).length)&&(f.body=m),r(o,f,m)};n[a]=d,o.includes("*")&&(n[a.replace("list","iter")]=async function*(t,r){for(let e=0;;){let n=await d({...t,limit:100,offset:e},r);if(yield*n.data,e+=n.data.length,!n.data.length||e>=n.total)return}})}return n},
rt="0.1.0",rr="/public/{k}/logs";
class ei{constructor(t,r,e){this.r=t,this.t=r,this.appVersion=e,this.u=[],this.x=new Map,this.tp=10,this.rv=0,this.dropped=0,this.z=0,this.tj=!1,this.tk=()=>this.flush()}capture(t,r={}){this.add(t,r)&&this.ry()}install(t={}){e(t,"level:number redact:function console:boolean"),this.redact=t.redact;let{level:r}=t,n=[this.r.e.eh((t,e,n)=>{this.add(t,{level:r,source:e})&&!n?this.ry():n&&this.tq()})];if(t.console){let{error:t}=console,e=(...e)=>{t.apply(console,e),this.capture(e.find(t=>t instanceof Error)||e.map(String).join(" "),{level:r,source:"console"})};console.error=e,n.push(()=>{console.error===e&&(console.error=t)})}return()=>n.forEach(t=>t())}async flush(t=2e3){await o(t,this.tz())}async close(t){this.u.length&&await this.flush(t),this.tc?.(),clearTimeout(this.to)}add(t,r){if(this.tj||this.r.th||this.r.l.aborted)return!1;this.tj=!0;try{let e=this.r.e.a.c(),n=es(t),a=j([n.type,n.message,n.frame].join("\n")),i=this.x.get(a);if(i&&e-i.at<6e4)return i.repeated++,!1;if(this.tp=Math.min(10,this.tp+(e-this.rv)/6e3),this.rv=e,this.tp<1)return this.dropped++,!1;let s=[n.type,n.message].filter(Boolean).join(": "),{source:o}=r,l=(this.redact||(t=>t))({level:r.level??3,content:[...(n.stack?s+"\n"+n.stack:s).slice(0,8192)].slice(0,4096).join(""),...o&&{source:o.slice(0,128)},device_info:this.device(),custom_data:{...r.customData,fingerprint:a,...g({repeated:i?.repeated,dropped:this.dropped})}});if(this.x.delete(a),this.x.set(a,{at:e,repeated:0}),this.x.size>500&&this.x.delete(this.x.keys().next().value),!l)return!1;this.tp--,this.dropped=0;let{device_info:d,custom_data:c}=l,p=JSON.stringify({...l,device_info:re(d),custom_data:re(c)});return this.u.push({raw:p,projectKey:this.t.projectKey}),this.u.length>100&&this.u.shift(),!0}catch{return!1}finally{this.tj=!1}}device(){let{e:t}=this.r,{platform:r,platformVersion:e}=this.t;return g({sdk:"svc-sdk-js/"+rt,runtime:t.runtime(),os:r,os_version:r&&e,arch:t.arch(),app_version:this.appVersion})}ry(){this.tc=this.r.e.rb(this.tk),this.tz()}tz(){return clearTimeout(this.to),this.s=this.s||Promise.resolve().then(()=>this.eu()).finally(()=>this.s=undefined)}async eu(){while(this.u.length){let[t]=this.u,{raw:r}=t,{status:e,after:n}=await tp(this.r,this.rw(t),{path:rr,raw:r});if(this.r.l.aborted)return;if(tt(e,1)==="retry"){this.to=s(()=>void this.tz(),z(5e3,++this.z,n));return}this.z=0,e>299&&this.r.f({message:"error report dropped",status:e}),this.u[0]===t&&this.u.shift()}}tq(){let{r:t}=this,r=this.u.pop();if(r&&t.e.tq){let e=this.rw(r);if(e.projectKey){let n={path:rr,raw:r.raw};t.e.tq(v(e,n),tc(t,e,n,null),r.raw)}}}rw({projectKey:t}){return{...this.t,projectKey:t??this.t.projectKey}}}
let re=t=>t&&JSON.parse(tg(t)||"{}"),
es=t=>{if(!(t instanceof Error))return{type:"",message:String(t),stack:"",frame:""};let{name:r,message:e,stack:n=""}=t,a=[r,e].filter(Boolean).join(": "),i=(n.startsWith(a)?n.slice(a.length):n).replace(/^\s*\n/,"").trimEnd(),s=(i.split("\n")[0]||"").trim().replace(/^at /,""),[,o,l]=/^(.*?) ?\((.*)\)$/.exec(s)||/^(.*?)@(.*)$/.exec(s)||["","",s],d=l.replace(/(:\d+)+$/,"").replace(/[?#].*/s,"").replace(/^.*[\\/]/s,"");return{type:r,message:e,stack:i,frame:d&&`${o||"<anonymous>"} (${d})`}},
eo=[[/^list/,"GET","?*"],[/^(get|preview|search|health|export)/,"GET",""],[/^(create|login)/,"POST","!"],[/^(update|change)/,"PATCH","!"],[/^(upsert|set|put)/,"PUT","!"],[/^(delete|clear|reset|revoke|abort)/,"DELETE",""],[/./,"POST",""]],
w=t=>{let r="";return t.split("\n").flatMap(t=>{let[e,...n]=t.split(" "),a=e.replace(/^\./,r);r=a===e?a:r;let i="";return n.flatMap(t=>{if(/^[A-Z]/.test(t))return i=t,[];let[,r,e,n]=/^(\w+)([=^]?)(.*)/.exec(t),[,s,o]=eo.find(([t])=>t.test(r)),l=r+i+(i&&r==="list"?"s":"");return[[l,e==="="?"PUT":e?"POST":s,a,n==="-"?"":n||o]]})})},
el=w(`/health health
/auth/login login`),ed=w(`/public/{k} Project get?l
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
./{slug} Terms get?l`),ec=w(`/admin/projects Project list create
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
./prune Logs prune!
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
/admin/about About get?`),rn=()=>import("./svc-sdk-b20765293d8f3cd4.transfers.js").then(({default:$})=>$(x,e,n,a,r,tu,q,tl,t)).catch(t=>{throw r("connect",t)});
class ra{constructor(t,r,e,n,a){this.r=t,this.t=r,this.answer=e,this.checkedAt=n,this.remembered=a,this.decision=ry(e),this.target=e.target_version,this.reasonCodes=e.reason_codes;let i=this.target?.download_links||[],s=rg(i,r.platform,t.e.ek);this.link=s===null?null:i[s]}async download(r,e={}){let n=e.link||this.link,a=n?.url||"";if(!/^https?:\/\//i.test(a)||/^http:/i.test(a)&&/^https:/i.test(this.t.baseUrl))throw new t(n?"the link cannot be downloaded safely: "+a.replace(/[?#].*/s,""):"there is no link for this platform");let{download:i}=await rn();return i(this.r,a,r,e)}}
class eh{constructor(t,r,e,n,a){this.r=t,this.t=r,this.analytics=e,this.rk=n,this.appVersion=a,this.s=new Map}async check(n={}){e(n,"intervalMs:number force:boolean includePreview:boolean locale:string currentVersion:string currentComparableVersion:string signal:object");let i=n.currentComparableVersion,s=n.currentVersion??(i?undefined:(this.appVersion??undefined));if(!s&&!i)throw new t("currentVersion is needed, or appVersion of the client");let o=n.locale===undefined?this.t.locale:n.locale,l=!!n.includePreview,d=[s,i,l,o].map(t=>t??"").join("|"),c=`svc.updates.${this.analytics.namespace}.last`,p=(n.intervalMs??216e5)/1e3,h=Math.floor(this.r.e.a.now()/1e3),u=this.ef(c);if(u&&u.key===d&&!n.force&&!rv(u,p,h))return new ra(this.r,this.t,u.answer,u.checked_at,!0);let f=c+"\n"+d,m=this.s.get(f);if(!m){let t=new AbortController,r={current_version:s,current_comparable_version:i,include_preview:n.includePreview,locale:o};m={waiting:0,control:t,update:this.em(c,d,p,h,r,t.signal)},this.s.set(f,m)}let{control:g,update:b}=m;m.waiting++;let{value:v,cause:y,failure:w}=await a(this.r,0,n.signal,()=>b);if(--m.waiting||(this.s.delete(f),g.abort()),w)throw w==="aborted"?r(w,y):y;return v}async em(t,r,e,n,a,s){let o=await this.rk.checkUpdate(a,{signal:s}).catch(t=>{let r=a.current_comparable_version?null:rw(a.current_version);if(r&&t instanceof i&&t.status===400)return this.rk.checkUpdate({...a,current_comparable_version:r},{signal:s});throw t}),l=n+e*(1+this.r.e.a.random()/5);return this.eg(t,{checked_at:n,next_at:Math.floor(l),key:r,answer:o}),new ra(this.r,this.t,o,n,!1)}ef(t){if(this.rx?.name===t)return this.rx.memory;try{let r=JSON.parse(this.analytics.d(".updates")?.read([t])[0]||"null");if(r&&typeof r.answer.should_update==="boolean"&&Number.isFinite(r.checked_at+r.next_at))return r}catch{}return null}eg(t,r){this.rx={name:t,memory:r};let e=JSON.stringify(r);e.length>262144&&(e=JSON.stringify(r,(t,r)=>t==="content"?null:r));try{this.analytics.d(".updates")?.write({[t]:e})}catch{this.r.f({message:"local state cannot be kept"})}}}
class eu{constructor(r,n){this.rj=new AbortController,e(r,"baseUrl:string projectKey:string token:string|function platform:string platformVersion:string sendClientTime:boolean timeoutMs:number retries:number appIdentifier:string headers:object locale:string appVersion:string fetch:function logger:function analytics:object");let a=ro(r.baseUrl||"");if(!a)throw new t("baseUrl must start with http:// or https://");a.replace(/^.*?:\/\/[^/]*/,"").includes("/api/v")||console.warn("svc-sdk: baseUrl has no /api/v… in its path");let i=r.timeoutMs??15e3,s=r.retries??3;for(let[r,e]of Object.entries({timeoutMs:i,retries:s})){if(!(e>=0))throw new t(r+" must not be negative")}let o=r.appIdentifier||"",l={...r.headers};if([o,...Object.entries(l).flat()].some(t=>/[\r\n]/.test(t)))throw new t("appIdentifier and headers must not contain line breaks");let{logger:d}=r;this.t={baseUrl:a,projectKey:r.projectKey||null,token:u(r.token),platform:p(r.platform===undefined?n.platform():r.platform),platformVersion:p(r.platformVersion===undefined&&r.platform!==null?n.platformVersion():r.platformVersion),locale:r.locale??null},this.r={e:n,fetch:r.fetch||((t,r)=>fetch(t,r)),timeoutMs:i,retries:s,headers:()=>l,userAgent:n.rt&&[`${n.rt}/${rt}`,o].filter(Boolean).join(" "),en:r.sendClientTime??!0,l:this.rj.signal,re:new Set,th:!1,f(t){let{th:r}=this;this.th=!0;try{d?.(t)}catch{}this.th=r}};let c=r.appVersion??null,h=this.analytics=new ea(this.r,this.t,r.analytics||{}),f=t=>(r,e,n)=>{let{locale:a}=this.t;return r.includes("l")&&n.locale===undefined&&a&&(n.locale=a),r.includes("v")&&n.version===undefined&&c&&(n.version=c),td(this.r,this.t,{...e,admin:t})};this.rq=y(el,f(!1));let m=y(ed,this.rz(f(!1),c));for(let t of["track","flush","optOut","optIn","hasOptedOut","grantConsent","revokeConsent","resetIdentity"])m[t]=h[t].bind(h);Object.defineProperty(m,"distinctId",{get:()=>h.distinctId,enumerable:!0}),this.public=m,this.admin=y(ec,this.rz(f(!0),c)),this.admin.uploadFile=async(t,r,e={})=>(await rn()).upload(n,this.admin,t,r,e),this.updates=new eh(this.r,this.t,h,this.public,c),this.logs=new ei(this.r,this.t,c)}get projectKey(){return this.t.projectKey}health(t){return this.rq.health(t)}async login(t,r,e){let n=await this.rq.login({username:t,password:r},e);return this.t.token=u(n.access_token),n}setToken(t){this.t.token=u(t)}clearToken(){this.t.token=u(null)}setProjectKey(t){this.t.projectKey=t||null}setPlatform(t){this.t.platform=p(t)}setPlatformVersion(t){this.t.platformVersion=p(t)}setLocale(t){this.t.locale=t}async close(t={}){e(t,"timeoutMs:number");let{timeoutMs:r=2e3}=t,{l:n,re:a}=this.r;n.aborted||(await Promise.all([this.analytics.close(r),this.logs.close(r),o(r,Promise.all(a))]),this.rj.abort())}toJSON(){let{baseUrl:t,projectKey:r}=this.t;return{baseUrl:t,projectKey:r}}rz(r,e){return(n,a,i)=>{let{method:s,path:o}=a;if(o.endsWith("/events/me")){let r=i.distinct_id??(i.distinct_id=this.analytics.distinctId);if(!r)throw new t("there is no identifier: nothing is collected");s==="DELETE"&&this.analytics.tb(r)}if(o.endsWith("/check-update")){if(i.locale===null&&delete i.locale,i.current_version==null&&i.current_comparable_version==null){if(!e)throw new t("current_version or current_comparable_version is needed");i.current_version=e}}if(o==="/public/{k}/feedbacks"&&i.forward_to_codehost===!0&&!String(i.contact??"").trim())throw new t("contact is needed when feedback is forwarded");return o==="/admin/projects"&&s==="POST"&&i.project_key===undefined&&this.projectKey&&(i.project_key=this.projectKey),i.refresh===!1&&delete i.refresh,r(n,a,i)}}}
let u=t=>typeof t==="function"?t:()=>t||null,eb={debug:0,info:1,warning:2,error:3},ef={read:t=>localStorage.getItem(t),write:(t,r)=>localStorage.setItem(t,r),remove:t=>localStorage.removeItem(t)},
f=(t,r,e)=>(t?.addEventListener(r,e),()=>t?.removeEventListener(r,e)),
em={a:ri,rt:null,fetch:(t,r,e)=>t(r,e),platform:()=>globalThis.navigator?"web":"others",platformVersion:()=>null,arch:()=>null,runtime:()=>globalThis.navigator?.userAgent||"",d(){try{return globalThis.localStorage?tz(ef):null}catch{return null}},doNotTrack(){let{navigator:t,window:r}=globalThis;return t?.globalPrivacyControl===!0||[t?.doNotTrack,r?.doNotTrack].some(t=>t==="1"||t==="yes")},rb:()=>()=>undefined,ed(t){let{document:r,window:e}=globalThis,n=[f(r,"visibilitychange",()=>{r.visibilityState==="hidden"&&t()}),f(r&&e,"pagehide",t)];return()=>n.forEach(t=>t())},ep(t,r,e){let n=globalThis.location&&new URL(t).origin===location.origin,a=n?"application/json":"text/plain;charset=UTF-8";try{return typeof navigator.sendBeacon==="function"&&navigator.sendBeacon(t,new Blob([r],{type:a}))?!0:(fetch(t,{method:"POST",body:r,headers:{"content-type":a},keepalive:!0,credentials:"omit"}).catch(e),!0)}catch{return!1}},eh(t){let r=[f(globalThis,"error",r=>{let{error:e,message:n}=r;t(e||n,"uncaught")}),f(globalThis,"unhandledrejection",r=>{t(r.reason,"uncaught")})];return()=>r.forEach(t=>t())},tx:()=>Promise.reject(new t("there are no paths here: pass a Blob or a stream")),eb:()=>Promise.reject(new t("there are no paths here: pass a WritableStream, or nothing"))};
class ev extends eu{constructor(t){super(t,em)}}
export{ev as SvcClient,ev as SvcSDK,eb as LogLevel,i as SvcApiError,m as SvcAuthError,n as SvcConnectionError,t as SvcError,eg as compareVersions,ti as isComparableVersion,rt as SDK_VERSION};
