/*! svc-sdk 0.1.0 | Apache-2.0 */
(()=>{"use strict";
class A extends Error{constructor(t,r){super(t),this.name=new.target.label,r!==undefined&&Object.defineProperty(this,"cause",{value:r,configurable:!0})}}
A.label="SvcError";
class L extends A{}
L.label="SvcAuthError";
class C extends A{constructor(t,r,e,n,a,i){super(r),this.status=t,this.body=e,this.retryAfter=n,this.method=a,this.path=i}toString(){return`[${this.status}] ${this.message}`}}
C.label="SvcApiError";
class D extends A{constructor(t,r,e=!1){super(t,r),this.timeout=e}}
D.label="SvcConnectionError";
let AP=new TextEncoder(),F=t=>AP.encode(t),G=t=>t.replace(/[A-Z]+/g,t=>t.toLowerCase()),
Q=t=>{let r=2166136261;for(let e of F(t))r=Math.imul(r^e,16777619);return(r>>>0).toString(16).padStart(8,"0")},
AQ=t=>{let r=t.trim().replace(/\/+$/,"");return/^https?:\/\//i.test(r)?r:null},
AR=t=>{let[,r,e]=/^(.*?):\/\/([^/?#]*)/s.exec(t.trim())||[];if(r===undefined)return G(t.trim());let n=G(r+"://"+e.replace(/^.*@/s,""));return n.replace(/:$/,"").replace(/^(http:.*):80$|^(https:.*):443$/s,"$1$2")},
AS=(t,r)=>Q(AR(t))+"-"+(G((r||"").trim())||"default"),
R=(t,r)=>{let e=new Date(t+r*1000),n=Number.isNaN(+e)?"":e.toISOString();if(r%60||n.length!==24)return null;let a=Math.abs(r/60),i=t=>String(t).padStart(2,"0");return n.slice(0,23)+(r<0?"-":"+")+i(Math.floor(a/60))+":"+i(a%60)},
H=t=>(t||"").replace(/[^!-~]+/g," ").trim().slice(0,32).trim()||null,AT=t=>/^\.{0,2}$/.test(t)?null:encodeURIComponent(t),
AU=(t,r)=>{let e=(t||"").trim();if(/^\d+$/.test(e))return+e;let n=/^[A-Za-z]+,? /.test(e)?Date.parse(e):NaN;return Number.isNaN(n)?null:Math.max(0,Math.ceil(n/1000-r))},
S=(t,r,e,n,a,i=0)=>{let s=/^(50[234]|dns|connect|connect_timeout|tls_handshake|stale_connection)$/;return!/^(GET|HEAD)$/.test(t)||r>=e||!s.test(String(n))||(a||0)>30?null:Math.max(Math.min(300*2**r,5000)*(1+i/4),(a||0)*1000)},
T=(t,r,e)=>Math.max(Math.min(t*2**(r-1),60000),Math.min((e||0)*1000,3600000)),
U=(t,r)=>t>=200&&t<300?"drop_batch":[400,413,422].includes(t)?r>1?"split":"drop_batch":[401,403,404,405,410].includes(t)?"hold":"retry",
V=t=>{let r=G(String(t).trim());return/^[a-z0-9_.:-]{1,64}$/.test(r)?r:null},
AV=(t,r)=>{let{message:e,error:n}=r||{},a=Array.isArray(e)?e.join("; "):e;return[a,n].find(t=>!!t&&typeof t==="string")||`HTTP ${t}`},
AW=t=>{let r={};for(let e of t.split("|")){let n=e.split(" ");n.forEach(t=>r[t]=n[0])}return r},
W=AW("windows win win32 win64 .exe .msi .msix|macos mac osx darwin .dmg .pkg|"+"linux .deb .rpm .appimage .flatpak .snap|android .apk .aab|ios iphone ipad .ipa|web wasm"),AX=t=>t.toLowerCase().replace(/x86[_-]64/g,"amd64").split(/[^a-z0-9]+/),X=(t,r)=>new Set(r.map(r=>t[r]).filter(Boolean)),
AY=(t,r,e=()=>0)=>{let n=null,a=6;return t.forEach((t,i)=>{let s=AZ(t.url.replace(/[?#].*/s,"").replace(/.*\//s,"")),o=[t.platform||"",t.name||"",s].map(AX),l=(/\.\w+$/.exec(s.toLowerCase())||[])[0]||"",d=(t.platform||"").trim()?X(W,o[0]):[o[1],o[2],[l]].map(t=>X(W,t)).find(t=>t.size),c=e(o),p=!r||c>2||d&&!d.has(r)?9:c+(d?0:3);p<a&&(a=p,n=i)}),n},
AZ=t=>{try{return decodeURIComponent(t)}catch{return t}},
BA=t=>/^https?:\/\/[^?#]*\/f\/[^/?#]+\/[0-9a-z]{12}\/[^/?#]+([?#]|$)/.test(t),BB=(t,r,e)=>!t||!(e<t.next_at&&e>=t.checked_at&&e<t.checked_at+r*1.2),
BC=t=>t.required?"required":t.should_update?t.milestone.target_is_milestone?"milestone":"optional":"none",
Y=/^(\d+(?:\.\d+)*)(?:-(alpha|beta|rc)(?:\.(\d+(?:\.\d+)*))?)?$/,BD=t=>Y.test(t),
CA=(t,r)=>{let[e,n]=[t,r].map(t=>{let r=BD(t)&&Y.exec(t);if(!r)throw new RangeError(`not a comparable version: ${JSON.stringify(t)}`);return r});return Z(e[1],n[1])||AA(e[2]||"z",n[2]||"z")||Z(e[3]||"0",n[3]||"0")},
AA=(t,r)=>t<r?-1:t>r?1:0,
Z=(t,r)=>{let[e,n]=[t.split("."),r.split(".")];for(let a=0;a<Math.max(e.length,n.length);a++){let i=AA(BigInt(e[a]||0),BigInt(n[a]||0));if(i)return i}return 0},
I=()=>{if(crypto.randomUUID)return crypto.randomUUID();let t=crypto.getRandomValues(new Uint8Array(16));t[6]=t[6]&15|64,t[8]=t[8]&63|128;let r=[...t].map(t=>t.toString(16).padStart(2,"0")).join("");return r.replace(/(.{8})(.{4})(.{4})(.{4})/,"$1-$2-$3-$4-")},
BE=32<<20,
M=(t,r)=>new Promise((e,n)=>{let a=()=>n(new Error("aborted"));r.addEventListener("abort",a),r.aborted&&a(),t.then(e,n).finally(()=>r.removeEventListener("abort",a))}),
E=async(t,r,e)=>{let n=new AbortController(),a=null,i=t=>{a=a||t,n.abort()},s=()=>i("aborted"),o=t?setTimeout(i,t,"read_timeout"):undefined;r?.addEventListener("abort",s);try{if(r?.aborted)throw s(),r.reason;return{value:await M(e(n.signal),n.signal),failure:null}}catch(l){return{cause:l,failure:a||"connect"}}finally{clearTimeout(o),r?.removeEventListener("abort",s)}},
B=(t,r)=>{let e={read_timeout:"the time limit ran out",aborted:"the request was cancelled",body:"the answer broke off",large:"the answer is larger than 32 MiB",};return new D(e[t]||"no connection",r,t==="read_timeout")},
N=async(t,r,e)=>{if(t.o.aborted)throw new A("the client is closed");let n={...r},{method:a,path:i,signal:s}=e,{a:o}=t.r,l=O(n,e),d=e.admin?await BF(n.token):null;for(let c=0;;c++){let p=o.c(),h={method:a,headers:AB(t,n,e,d),credentials:"omit",body:e.raw??(e.body===undefined?null:JSON.stringify(e.body)),},u="",{value:f,cause:m,failure:g}=await E(t.timeoutMs,s,async r=>{let e=await t.r.fetch(t.fetch,l,{...h,signal:r});u="body";let n=await BG(e,()=>u="large");return{status:e.status,text:n,after:AU(e.headers.get("retry-after"),o.now()/1000)}}),b=f?f.status:0;if(t.f({message:"request",method:a,path:i,status:b,attempt:c+1,durationMs:o.c()-p}),f&&b>=200&&b<300&&!f.text.trim())return null;let v=f&&BH(f.text);if(v&&b>=200&&b<300&&v.json)return v.value;let y=g==="connect"&&u?u:g,w=S(a,c,t.retries,y||b,f?f.after:null,o.random());if(w===null||s?.aborted)throw f?new C(b,AV(b,v.value),v.value,f.after,a,i):B(y,m);let k=await E(0,s,r=>M(o.tz(w,t.o),r));if(k.failure)throw B(k.failure,s?.reason);if(t.o.aborted)throw new A("the client is closed")}},
O=(t,{path:r,rk:e=[],rx:n={}})=>{let a=0,i=r.replace(/{(\w+)}/g,(r,n)=>{if(n==="k"&&!t.projectKey)throw new A("no project is bound: set projectKey");let i=AT(String((n==="k"?t.projectKey:e[a++])??""));if(!i)throw new A(`${n} must not be empty, "." or ".."`);return i}),s=Object.entries(n).filter(([,t])=>t!=null).map(([t,r])=>encodeURIComponent(t)+"="+encodeURIComponent(String(r)));return t.baseUrl+i+(s.length?"?"+s.join("&"):"")},
BF=async t=>{let r;try{r=typeof t==="function"?await t():t}catch(e){throw new L("the token function failed",e)}if(!r)throw new L("this method needs a credential: set token or log in");return r},
AB=(t,r,e,n)=>{let a=t.r.a.now(),i=t.rt?R(a,new Date(a).getTimezoneOffset()*-60):null,s=e.raw==null||typeof e.raw==="string";try{let o=new Headers(t.headers);for(let[l,d]of[["accept","application/json"],["authorization",n&&"Bearer "+n],["user-agent",t.userAgent],["content-type",e.raw==null&&e.body===undefined?null:s?"application/json":"application/octet-stream"],["x-svc-platform",r.platform],["x-svc-platform-version",r.platformVersion],["x-svc-client-time",i],])d?o.set(l,d):l!=="user-agent"&&o.delete(l);return o}catch{throw new A("a header has a value that cannot be sent")}},
BG=async(t,r)=>{let e=t.body?.getReader(),n=new TextDecoder(),a="",i=0;for(;;){let{done:s,value:o}=e?await e.read():{done:!0,value:undefined};if(s||!o)return a+n.decode();if(i+=o.length,i>BE)throw r(),e.cancel(),new Error("too large");a+=n.decode(o,{stream:!0})}},
BH=t=>{try{return{json:!0,value:JSON.parse(t)}}catch{return{json:!1,value:t.slice(0,65536)}}},
BI={now:()=>Date.now(),c:()=>performance.now(),random:()=>Math.random(),tz:(t,r)=>new Promise(e=>{let n=()=>{clearTimeout(a),r.removeEventListener("abort",n),e()},a=setTimeout(n,t);r.addEventListener("abort",n),r.aborted&&n()}),},
J=(t,r)=>{let e=setTimeout(t,r);return e.unref?.(),e},
AC=/^[ -~]{1,128}$/,BJ=65536,AD=16384;
class BK{constructor(t,r,e,n,a,i,s,o){this.r=t,this.n=r,this.rr=e,this.l=n,this.tp=a,this.rj=i,this.f=s,this.k=o,this.entries=[],this.g=!1,this.sent=0,this.dropped=0,this.re=0,this.th=0,this.abort=new AbortController(),this.tr=[],this.tu=!1,this.te=!0,this.rn=-Infinity,this.x=0,this.h=0,this.b=0,this.j=new Set(),this.q=!1}get p(){return this.n.enabled?(this.tn(),this.ra)?((this.i||this.entries.length||this.m("distinct_id")!=null||this.m("queue")!=null)&&this.ta(),!1):!this.g&&this.rj():!1}hasOptedOut(){return this.tn(),this.g}get ra(){return this.n.respectDoNotTrack&&this.r.doNotTrack()}get ri(){if(!this.i){let t=this.m("distinct_id");this.i=t&&AC.test(t)?t:I(),this.i!==t&&(this.q=!0,this.d(!0))}return this.i}track(t,r){let e=V(t);if(!e){this.ti(String(t),"invalid name");return}let n=r==null?"":BL(r);if(n.length*3>AD&&F(n).length>AD){this.ti(e,"properties over 16 KiB");return}let{c:a,now:i}=this.r.a,s=a();(!this.session||s-this.re>this.n.sessionTimeoutMs)&&(this.session=I()),this.re=s;let o=!this.i,l=AE(I(),e,Math.floor(i()/1000),n,this.ri,this.session,this.k);if(this.entries.push(l),this.entries.length>this.n.maxQueueSize){let[d]=this.entries.splice(this.entries.findIndex(t=>!this.tr.includes(t)),1);this.j.add(d.v),this.ti(d.name,"queue full")}this.d(o),this.entries.length>=this.n.batchSize&&this.ts(),this.z()}async flush(){let{sent:t,dropped:r}=this;this.h=Math.min(this.h,2);let e=this.p;while(e&&this.entries.length)e=await(this.s||this.tf(!0));return{sent:this.sent-t,dropped:this.dropped-r,pending:this.entries.length}}ta(){this.th++,this.abort.abort(),this.abort=new AbortController(),this.entries=[],this.tr=[],this.j.clear(),this.i=this.session=undefined,this.q=!1,this.rs(),this.tm({distinct_id:null,queue:null})}ro(t){this.tn(),t&&this.ta(),this.g=t,this.tm({opt_out:t?"1":null})}resetIdentity(){this.i=I(),this.session=undefined,this.q=!0,this.d(!0)}tg(t){this.tn(),this.remove(this.entries.filter(r=>r.i===t)),this.d(!0)}rl(){this.te=!1,this.rs(),this.tu&&this.d(!0)}rq(){this.te=!0,this.h&&(this.h=this.b=0),this.z()}async ef(){while(this.s)await this.s}d(t=!1){if(!this.l||this.n.persistence!=="persistent"||this.tt&&!t)return;let r=this.rn+1000-this.r.a.c();if(!t&&r>0){this.tt=J(()=>this.d(!0),r);return}if(clearTimeout(this.tt),this.tt=undefined,this.rn=this.r.a.c(),this.m("opt_out")==="1"&&!this.g){this.ta(),this.g=!0;return}let e=new Set(this.entries.map(t=>t.v)),n=AF(this.m("queue")).filter(t=>!e.has(t.v)&&!this.j.has(t.v)),a=[...n,...this.entries].slice(-this.n.maxQueueSize);this.j.clear(),this.tm({queue:a.length?"["+a.map(BM).join()+"]":null,...this.q&&{distinct_id:this.i},}),this.q=!1}rd(t,r=""){let[e]=this.entries,n=t-AG(e,r).length-2,a=this.entries.findIndex((t,r)=>(n-=t.size+(r?2:1),r&&(t.i!==e.i||t.session!==e.session||r===this.n.batchSize||n<0)));return this.entries.slice(0,a<0?undefined:a)}remove(t){let r=new Set(t.map(t=>t.v));r.forEach(t=>this.j.add(t)),this.entries=this.entries.filter(t=>!r.has(t.v))}ti(t,r){this.dropped++,this.n.onDrop(t,r)}ts(){!this.s&&this.te&&this.h<3&&this.r.a.c()>=this.b&&this.p&&this.tf(!1)}z(){if(this.entries.length&&!this.y&&this.te&&this.h<3){let t=this.b-this.r.a.c();this.y=J(()=>{this.y=undefined,this.p&&!this.s&&this.r.a.c()>=this.b?this.tf(!0):this.z()},t>0?t:this.n.flushIntervalMs)}}rs(){clearTimeout(this.y),clearTimeout(this.tt),this.y=this.tt=undefined}tf(t){let r=Promise.resolve().then(async()=>{while(this.entries.length>=(t?1:this.n.batchSize)){if(!this.p||!await this.tb(this.rd(BJ)))return!1}return!0}).finally(()=>{this.s=undefined,this.z()});return this.s=r}async tb(t){let{th:r,n:e}=this;this.tr=t;let{status:n,after:a,message:i,rejected:s}=await this.tp(AH(t),this.abort.signal);if(r!==this.th)return!1;this.tr=[];let o=U(n,t.length);if(o==="split"){let l=t.length>>1,d=()=>t.slice(l).filter(t=>this.entries.includes(t));return await this.tb(t.slice(0,l))&&(!d().length||this.tb(d()))}if(o==="drop_batch")return this.remove(t),this.x=this.h=0,this.b=0,n<300?(this.sent+=t.length,(s||[]).forEach(r=>e.onDrop(t[r.index]?.name||"",r.message))):this.ti(t[0].name,i||"refused"),this.d(),!0;let c=60000;return o==="hold"?this.h++:(this.h=0,c=T(e.flushIntervalMs,++this.x,a)),this.b=this.r.a.c()+c,clearTimeout(this.y),this.y=undefined,this.d(!0),!1}tn(){if(!this.tu){if(this.tu=!0,this.g=this.m("opt_out")==="1",this.n.persistence==="persistent"){let t=AF(this.m("queue")).filter(({k:t})=>!t||t===this.k);this.entries=t.slice(-this.n.maxQueueSize),this.z()}}}m(t){if(!this.l||this.n.persistence!=="persistent"&&t!=="opt_out")return null;try{return this.l.read([this.rr+t])[0]??null}catch{return this.rc()}}tm(t){let r={};for(let e of Object.keys(t))(this.n.persistence==="persistent"||e==="opt_out")&&(r[this.rr+e]=t[e]);try{this.l?.write(r)}catch{this.rc()}}rc(){return this.l=null,this.f("local state cannot be kept"),null}}
let AE=(t,r,e,n,a,i,s)=>{let o=`{"event_id":${JSON.stringify(t)},"name":"${r}","occurred_at":${e}`+(n&&',"properties":'+n);return{v:t,name:r,i:a,session:i,k:s,rp:o,size:F(o).length}},
AG=({i:t,session:r},e)=>`{"distinct_id":${JSON.stringify(t)}`+(r===undefined?"":`,"session_id":${JSON.stringify(r)}`)+`${e},"events":[`,AH=(t,r="")=>AG(t[0],r)+t.map(t=>t.rp+"}").join()+"]}",BM=({rp:t,i:r,session:e,k:n})=>t+","+JSON.stringify({distinct_id:r,session_id:e,project_key:n}).slice(1),
AF=t=>{let r;try{r=JSON.parse(t||"[]")}catch{}let e=[];for(let n of Array.isArray(r)?r:[]){let{event_id:a,name:i,occurred_at:s,properties:o,distinct_id:l,session_id:d,project_key:c}=n||{};if([a,l].every(t=>typeof t==="string"&&AC.test(t))&&V(i)===i&&Number.isSafeInteger(s)&&(d==null||typeof d==="string"&&d.length<=128)&&(c==null||typeof c==="string")&&(o==null||typeof o==="object"&&!Array.isArray(o))){let p=o?JSON.stringify(o):"",h=[d,c].map(t=>t??undefined);e.push(AE(a,i,s,p,l,h[0],h[1]))}}return e},
BL=t=>{let r=t=>JSON.stringify(t,(t,r)=>/^(bigint|function|symbol)$/.test(typeof r)?String(r):r);if(!t||typeof t!=="object"||Array.isArray(t))return"";let e=AI(()=>r(t));if(e?.[0]!=="{"){let n=[];for(let a of Object.keys(t)){let i=AI(()=>[r(t[a])])||['"[unreadable]"'];i[0]&&n.push(JSON.stringify(a)+":"+i[0])}e="{"+n.join()+"}"}return e==="{}"?"":e},
AI=t=>{try{return t()}catch{return undefined}},
AJ="/public/{k}/events",AK=60000,AL=t=>({read:r=>r.map(r=>t.read(r)??null),write(r){for(let[e,n]of Object.entries(r))n===null?t.remove(e):t.write(e,n)},}),
BN=(t,r)=>{let e=(r,e,n)=>{let a=t[r]??e;if(!(a>=n))throw new A(`analytics.${r} must be ${n===1?"at least 1":"more than 0"}`);return a},n=t.persistence??"persistent";if(!["persistent","device","session","none"].includes(n))throw new A("analytics.persistence must be persistent, session or none");let a=new Set();return{enabled:t.enabled??!0,requireConsent:t.requireConsent??!1,persistence:n==="device"?"persistent":n,flushIntervalMs:e("flushIntervalMs",5000,Number.MIN_VALUE),batchSize:Math.min(e("batchSize",20,1),50),maxQueueSize:e("maxQueueSize",500,1),sessionTimeoutMs:e("sessionTimeoutMs",1800000,Number.MIN_VALUE),respectDoNotTrack:t.respectDoNotTrack??!0,onDrop(e,n){!a.has(e)&&a.size<500&&(a.add(e),r("event dropped: "+n));try{t.onDrop?.(e,n)}catch{}},}};
class BO{constructor(t,r,e){this.e=t,this.t=r,this.to=e,this.tv=new Map(),this.rh=null,this.ty=!1,this.o=!1,this.tl=AK,this.r=t.r,this.n=BN(e,r=>t.f({message:r}))}get namespace(){return this.to.namespace??AS(this.t.baseUrl,this.t.projectKey)}l(t=""){return this.n.persistence==="none"?null:this.to.storage?AL(this.to.storage):this.r.l(this.namespace,t)}get p(){return!this.o&&this.queue.p}get distinctId(){return this.p?this.queue.ri:null}track(t,r){try{this.p&&(this.rz(),this.tl=AK,this.queue.track(t,r))}catch{this.e.f({message:"event not collected"})}}flush(){return this.queue.flush()}optOut(){this.queue.ro(!0)}optIn(){this.queue.ro(!1)}hasOptedOut(){let{queue:t}=this;return t.ra||t.hasOptedOut()}grantConsent(){this.ty=!0}revokeConsent(){this.ty=!1,this.n.requireConsent?this.queue.ta():this.optOut()}resetIdentity(){this.p&&this.queue.resetIdentity()}tg(t){this.queue.tg(t)}async close(t){await this.ru(t),this.o=!0,this.rf?.forEach(t=>t()),this.tv.forEach(t=>t.rl())}get queue(){let{projectKey:t}=this.t,{tw:r,rh:e}=this;if(r&&e===t)return r;r?.rl(),r&&this.n.persistence!=="persistent"&&r.flush();let n=this.tv.get(t)||this.tk(t);return this.tv.set(t,n),this.rh=t,this.tw=n,n.rq(),n}tk(t){return new BK(this.r,this.n,`svc.analytics.${this.namespace}.`,this.l(),(r,e)=>this.tp(t,r,e),()=>!this.o&&(!this.n.requireConsent||this.ty),t=>this.e.f({message:t}),this.to.namespace===undefined?undefined:(t??undefined))}async tp(t,r,e){try{let n={method:"POST",path:AJ,raw:r,signal:e},a=await N(this.e,{...this.t,projectKey:t},n);return{...a,status:202}}catch(i){return i instanceof C?{status:i.status,after:i.retryAfter,message:i.message}:{status:0}}}async ru(t){if(this.tw&&!this.o){let{tw:r}=this;await new Promise(e=>{let n=setTimeout(e,t);r.flush().finally(()=>{clearTimeout(n),e()})}),r.d(!0)}}rz(){this.rf=this.rf||[this.r.et(()=>this.ru(2000)),this.r.er(()=>this.ee())]}ee(){let{queue:t,t:r,r:e}=this;if(!r.projectKey||!this.p)return;t.d(!0);let n=e.a.now(),a=Object.entries({platform:r.platform,platform_version:r.platformVersion,client_time:this.e.rt?R(n,new Date(n).getTimezoneOffset()*-60):null,}).map(([t,r])=>r?`,"${t}":${JSON.stringify(r)}`:"").join(""),i=O(r,{method:"POST",path:AJ});while(t.entries.length){let s=t.rd(this.tl,a),o=AH(s,a);if(this.tl-=F(o).length,this.tl<0||!e.en(i,o))break;t.remove(s)}t.d(!0)}}
let AM="0.1.0",AN="/public/{k}/logs";
class BP{constructor(t,r,e){this.e=t,this.t=r,this.appVersion=e,this.u=[],this.w=new Map(),this.td=10,this.rm=0,this.dropped=0,this.x=0,this.tx=!1}capture(t,r={}){this.add(t,r)&&this.tc()}install(t={}){this.redact=t.redact;let{level:r}=t,e=[this.e.r.ea((t,e,n)=>{this.add(t,{level:r,source:e})&&!n?this.tc():n&&this.rg()}),];if(t.console){let{error:n}=console,a=(...t)=>{n.apply(console,t),this.capture(t.find(t=>t instanceof Error)||t.map(String).join(" "),{level:r,source:"console"})};console.error=a,e.push(()=>{console.error===a&&(console.error=n)})}return()=>e.forEach(t=>t())}async flush(t=2000){let r=new Promise(r=>J(()=>r(null),t));await Promise.race([this.tc(),r])}async close(t){this.u.length&&await this.flush(t),clearTimeout(this.ts)}add(t,r){if(this.tx||this.e.o.aborted)return!1;this.tx=!0;try{let e=this.e.r.a.c(),n=BQ(t),a=Q([n.type,n.message,n.frame].join("\n")),i=this.w.get(a);if(i&&e-i.at<60000)return i.repeated++,!1;if(this.td=Math.min(10,this.td+(e-this.rm)/6000),this.rm=e,this.td<1)return this.dropped++,!1;let s=[n.type,n.message].filter(Boolean).join(": "),{source:o}=r,l=(this.redact||(t=>t))({level:r.level??3,content:[...(n.stack?s+"\n"+n.stack:s).slice(0,8192)].slice(0,4096).join(""),...o&&{source:o.slice(0,128)},device_info:this.device(),custom_data:{...r.customData,fingerprint:a,...i?.repeated&&{repeated:i.repeated},...this.dropped&&{dropped:this.dropped},},});return(this.w.delete(a),this.w.set(a,{at:e,repeated:0}),this.w.size>500&&this.w.delete(this.w.keys().next().value),!l)?!1:(this.td--,this.dropped=0,this.u.push(l),this.u.length>100&&this.u.shift(),!0)}catch{return!1}finally{this.tx=!1}}device(){let{r:t}=this.e,{platform:r,platformVersion:e}=this.t,n={sdk:"svc-sdk-js/"+AM,runtime:t.runtime(),os:r,os_version:r&&e,arch:t.arch(),app_version:this.appVersion,};return Object.fromEntries(Object.entries(n).filter(([,t])=>t))}tc(){return clearTimeout(this.ts),this.s=this.s||Promise.resolve().then(()=>this.ei()).finally(()=>this.s=undefined)}async ei(){while(this.u.length){let[t]=this.u,r=0;try{await N(this.e,this.t,{method:"POST",path:AN,body:t}),this.x=0}catch(e){let n=e instanceof C?e.status:0;if(n===429||U(n,1)==="retry"){let a=e instanceof C?(e.retryAfter??0):0;r=T(5000,++this.x,a)}e instanceof A&&!r&&this.e.f({message:"error report dropped",status:n})}if(r){this.ts=J(()=>void this.tc(),r);return}this.u[0]===t&&this.u.shift()}}rg(){let{e:t,t:r}=this,e=this.u.pop();if(e&&r.projectKey){let n={method:"POST",path:AN,body:e};t.r.rg?.(O(r,n),AB(t,r,n,null),JSON.stringify(e))}}}
let BQ=t=>{if(!(t instanceof Error))return{type:"",message:String(t),stack:"",frame:""};let{name:r,message:e,stack:n=""}=t,a=[r,e].filter(Boolean).join(": "),i=(n.startsWith(a)?n.slice(a.length):n).replace(/^\s*\n/,"").trimEnd(),s=(i.split("\n")[0]||"").trim().replace(/^at /,""),[,o,l]=/^(.*?) ?\((.*)\)$/.exec(s)||/^(.*?)@(.*)$/.exec(s)||["","",s],d=l.replace(/(:\d+)+$/,"").replace(/[?#].*/s,"").replace(/^.*[\\/]/s,"");return{type:r,message:e,stack:i,frame:d&&`${o||"<anonymous>"} (${d})`}},
BR=`
health GET /health
login POST /auth/login !`,BS=`
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
getTerms GET /public/terms/{slug} ?l`,BT=`
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
search GET /admin/search ?`,
P=(t,r)=>{let e={};for(let n of t.trim().split("\n")){let[a,i,s,o=""]=n.split(" "),l=s.replace("{k}","").split("{").length-1,d=o[0]||"",c=async(...t)=>{let e=d?t[l]:{},{signal:n,extra:a}=t[d?l+1:l]||{},c={method:i,path:s,signal:n,rk:t.slice(0,l).map(t=>String(t??""))};d==="#"&&(c.raw=e);let p=d==="#"?{}:{...e,...a};return d==="?"||i==="GET"?c.rx=p:(d==="!"||Object.keys(p).length)&&(c.body=p),r(o,c,p)};e[a]=c,o.includes("*")&&(e[a.replace("list","iter")]=async function*(t,r){for(let e=0;;){let n=await c({...t,limit:100,offset:e},r);if(yield*n.data,e+=n.data.length,!n.data.length||e>=n.total)return}})}return e};
class AO{constructor(t,r,e,n,a){this.e=t,this.t=r,this.answer=e,this.checkedAt=n,this.remembered=a,this.decision=BC(e),this.target=e.target_version,this.reasonCodes=e.reason_codes;let i=this.target?.download_links||[],s=AY(i,r.platform,t.r.em);this.link=s===null?null:i[s]}async download(t,r={}){let e=r.link||this.link,n=e?.url||"";if(!/^https?:\/\//i.test(n)||/^http:/i.test(n)&&/^https:/i.test(this.t.baseUrl))throw new A(e?"the link cannot be downloaded safely: "+n.replace(/[?#].*/s,""):"there is no link for this platform");return BU(this.e,n,t,r)}}
class BV{constructor(t,r,e,n,a){this.e=t,this.t=r,this.analytics=e,this.es=n,this.appVersion=a,this.s=new Map()}check(t={}){let r=t.currentComparableVersion,e=t.currentVersion??(r?undefined:(this.appVersion??undefined));if(!e&&!r)return Promise.reject(new A("currentVersion is needed, or appVersion of the client"));let n=t.locale===undefined?this.t.locale:t.locale,a=!!t.includePreview,i=[e,r,a,n].map(t=>t??"").join("|"),s=`svc.updates.${this.analytics.namespace}.last`,o=(t.intervalMs??21600000)/1000,l=Math.floor(this.e.r.a.now()/1000),d=this.eo(s);if(d&&d.key===i&&!t.force&&!BB(d,o,l))return Promise.resolve(new AO(this.e,this.t,d.answer,d.checked_at,!0));let c=s+"\n"+i,p=this.s.get(c);return p||(p=this.el(s,i,o,l,{current_version:e,current_comparable_version:r,include_preview:t.includePreview,locale:n,},t.signal).finally(()=>this.s.delete(c)),this.s.set(c,p)),p}async el(t,r,e,n,a,i){let s=await this.es.checkUpdate(a,{signal:i}),o=n+e*(1+this.e.r.a.random()/5);return this.ed(t,{checked_at:n,next_at:Math.floor(o),key:r,answer:s}),new AO(this.e,this.t,s,n,!1)}eo(t){if(this.rb?.name===t)return this.rb.memory;try{let r=JSON.parse(this.analytics.l(".updates")?.read([t])[0]||"null");if(r&&typeof r.answer.should_update==="boolean"&&Number.isFinite(r.checked_at+r.next_at))return r}catch{}return null}ed(t,r){this.rb={name:t,memory:r};let e=JSON.stringify(r);e.length>262144&&(e=JSON.stringify(r,(t,r)=>t==="content"?null:r));try{this.analytics.l(".updates")?.write({[t]:e})}catch{this.e.f({message:"local state cannot be kept"})}}}
function BW(t){let r=[],e=()=>new Blob(r);return{size:0,write(t){r.push(t),this.size+=t.length},tj(){r=[],this.size=0},async digest(){let t=await crypto.subtle?.digest("SHA-256",await e().arrayBuffer());return t?[...new Uint8Array(t)].map(t=>t.toString(16).padStart(2,"0")).join(""):null},async ec(){return t?(await e().stream().pipeTo(t),{}):{blob:e()}},async ep(){r=[],await t?.abort()},}}
let BU=async(t,r,e,n)=>{let{r:a}=t,{signal:i,onProgress:s}=n,o=BA(r),l,d=null,c=null,p=t=>{throw new D(t)},h=async n=>{let i=d&&l?l.size:0,u=a.tq?{"accept-encoding":"identity"}:{};i&&(u.range=`bytes=${i}-`,u["if-range"]=d);let f=async r=>{let{value:e,cause:a,failure:i}=await E(t.timeoutMs,n,r);if(i)throw B(i,a);return e},m=await f(()=>a.fetch(t.fetch,r,{headers:u,signal:n,credentials:"omit"},!0)),{status:g}=m;if(g===416&&l)return await l.tj(),416;if(g!==200&&g!==206)return[502,503,504].includes(g)?g:p(`the download was answered with ${g}`);let b=m.headers.get("etag"),v=m.headers.get("content-encoding")?null:m.headers.get("content-length");if(g===206){let[,y,w]=/^bytes (\d+)-\d+\/(\d+)$/.exec(m.headers.get("content-range")||"")||[];if(y===undefined||+y!==i||+w!==c)return await l.tj(),g}else{c=v?+v:null,d=b?.startsWith('"')?b:null;let k=o?/^"([0-9a-f]{64})"$/.exec(b||"")?.[1]:"";if(k===undefined||o&&c===null)return p("the link names a file of the service, but its answer has no size and hash");if(!l){if(l=typeof e==="string"?await a.eh(e,k.slice(0,16)||null):BW(e),l.size&&l.size<c)return await m.body?.cancel(),h(n)}await l.tj()}let x=m.body?.getReader();for(;;){let{done:j,value:q}=x?await f(()=>x.read()):{done:!0,value:undefined};if(j||!q)return null;if(await l.write(q),s?.(l.size,c),c!==null&&l.size>c)return p("the download has another size than its record")}};try{for(let u=0;;u++){let f=l?l.size:0,m,{value:g,cause:b,failure:v}=await E(0,i,h);if(v==="aborted")throw B(v,i?.reason);if(v){if(m=b,b instanceof D&&b.cause===undefined&&!b.timeout)throw b}else if(g===null&&(c===null||l.size>=c))break;l&&l.size>f&&(u=-1);let y=u<4?S("GET",Math.max(u,0),99,"connect",null,a.a.random()):null;if(y===null)throw m instanceof D?m:B("body",m);if(await E(0,i,r=>M(a.a.tz(y,t.o),r)),i?.aborted||t.o.aborted)throw B("aborted",i?.reason)}let{size:w}=l,k=await l.digest(),x=o&&`"${k}"`===d;return c!==null&&w!==c&&p("the download has another size than its record"),o&&!x&&p(k?"the download has another SHA-256 than its record":"SHA-256 needs a secure context (HTTPS)"),{...await l.ec(),size:w,sha256:k,verified:x}}catch(j){throw await l?.ep(),j instanceof A?j:B("body",j)}};
class BX{constructor(t,r){this.rv=new AbortController();let e=AQ(String(t.baseUrl));if(!e)throw new A("baseUrl must start with http:// or https://");e.replace(/^.*?:\/\/[^/]*/,"").includes("/api/v")||console.warn("svc-sdk: baseUrl has no /api/v… in its path");let n=t.timeoutMs??15000,a=t.retries??3;if(!(n>=0&&a>=0))throw new A("timeoutMs and retries must not be negative");let i=t.appIdentifier||"",s={...t.headers};if([i,...Object.entries(s).flat()].some(t=>/[\r\n]/.test(t)))throw new A("appIdentifier and headers must not contain line breaks");let{logger:o}=t;this.t={baseUrl:e,projectKey:t.projectKey||null,token:t.token||null,platform:H(t.platform===undefined?r.platform():t.platform),platformVersion:H(t.platformVersion===undefined&&t.platform!==null?r.platformVersion():t.platformVersion),locale:t.locale??null,},this.e={r:r,fetch:t.fetch||((t,r)=>fetch(t,r)),timeoutMs:n,retries:a,headers:s,userAgent:r.tq&&[`${r.tq}/${AM}`,i].filter(Boolean).join(" "),rt:t.sendClientTime??!0,o:this.rv.signal,f(t){try{o?.(t)}catch{}},};let l=t.appVersion??null,d=this.analytics=new BO(this.e,this.t,t.analytics||{}),c=t=>(r,e,n)=>{let{locale:a}=this.t;return r.includes("l")&&n.locale===undefined&&a&&(n.locale=a),r.includes("v")&&n.version===undefined&&l&&(n.version=l),N(this.e,this.t,{...e,admin:t})};this.ry=P(BR,c(!1));let p=P(BS,this.rw(c(!1),l));for(let h of["track","flush","optOut","optIn","hasOptedOut","grantConsent","revokeConsent","resetIdentity"])p[h]=d[h].bind(d);Object.defineProperty(p,"distinctId",{get:()=>d.distinctId,enumerable:!0}),this.public=p,this.admin=P(BT,this.rw(c(!0),l)),this.admin.uploadFile=(t,r,e={})=>this.eu(t,r,e),this.updates=new BV(this.e,this.t,d,this.public,l),this.logs=new BP(this.e,this.t,l)}get projectKey(){return this.t.projectKey}health(t){return this.ry.health(t)}async login(t,r,e){let n=await this.ry.login({username:t,password:r},e);return this.t.token=n.access_token,n}setToken(t){this.t.token=t}clearToken(){this.t.token=null}setProjectKey(t){this.t.projectKey=t||null}setPlatform(t){this.t.platform=H(t)}setPlatformVersion(t){this.t.platformVersion=H(t)}setLocale(t){this.t.locale=t}async close({timeoutMs:t=2000}={}){this.e.o.aborted||(await Promise.all([this.analytics.close(t),this.logs.close(t)]),this.rv.abort())}rw(t,r){return(e,n,a)=>{let{method:i,path:s}=n;if(s.endsWith("/events/me")){let o=a.distinct_id??(a.distinct_id=this.analytics.distinctId);if(!o)throw new A("there is no identifier: nothing is collected");i==="DELETE"&&this.analytics.tg(o)}if(s.endsWith("/check-update")){if(a.locale===null&&delete a.locale,a.current_version==null&&a.current_comparable_version==null){if(!r)throw new A("current_version or current_comparable_version is needed");a.current_version=r}}if(s==="/public/{k}/feedbacks"&&a.forward_to_codehost===!0&&!String(a.contact??"").trim())throw new A("contact is needed when feedback is forwarded");return s==="/admin/projects"&&i==="POST"&&a.project_key===undefined&&this.projectKey&&(a.project_key=this.projectKey),a.refresh===!1&&delete a.refresh,t(e,n,a)}}async eu(t,r,e){let{signal:n}=e,a=typeof t==="string"?await this.e.r.tk(t):t instanceof Blob?t:await new Response(t).blob(),i=e.uploadId?await this.admin.getUpload(e.uploadId,{signal:n}):await this.admin.createUpload({filename:r,size:a.size,...e.storageBackendId&&{storage_backend_id:e.storageBackendId}},{signal:n}),s=i.upload_id;for(let o=1;;o++){let{chunk_size:l,total_chunks:d}=i,c=new Set(i.received_chunks);try{for(let p=0;p<d;p++){if(!c.has(p)){let h=await a.slice(p*l,Math.min((p+1)*l,a.size)).arrayBuffer();await this.admin.putUploadChunk(s,p,new Uint8Array(h),{signal:n})}}return await this.admin.completeUpload(s,{signal:n})}catch(u){if(o===3||n?.aborted)throw u;i=await this.admin.getUpload(s,{signal:n})}}}}
let CB={debug:0,info:1,warning:2,error:3},BY={read:t=>localStorage.getItem(t),write:(t,r)=>localStorage.setItem(t,r),remove:t=>localStorage.removeItem(t),},
K=(t,r,e)=>(t?.addEventListener(r,e),()=>t?.removeEventListener(r,e)),
BZ={a:BI,tq:null,fetch:(t,r,e)=>t(r,e),platform:()=>globalThis.navigator?"web":"others",platformVersion:()=>null,arch:()=>null,runtime:()=>globalThis.navigator?.userAgent||"",l(){try{return globalThis.localStorage?AL(BY):null}catch{return null}},doNotTrack(){let{navigator:t,window:r}=globalThis;return t?.globalPrivacyControl===!0||[t?.doNotTrack,r?.doNotTrack].some(t=>t==="1"||t==="yes")},et:()=>()=>undefined,er(t){let{document:r,window:e}=globalThis,n=[K(r,"visibilitychange",()=>{r.visibilityState==="hidden"&&t()}),K(r&&e,"pagehide",t),];return()=>n.forEach(t=>t())},en(t,r){let e=globalThis.location&&new URL(t).origin===location.origin,n=e?"application/json":"text/plain;charset=UTF-8";try{return typeof navigator.sendBeacon==="function"&&navigator.sendBeacon(t,new Blob([r],{type:n}))?!0:(fetch(t,{method:"POST",body:r,headers:{"content-type":n},keepalive:!0,credentials:"omit"}).catch(()=>undefined),!0)}catch{return!1}},ea(t){let r=[K(globalThis,"error",r=>{let{error:e,message:n}=r;t(e||n,"uncaught")}),K(globalThis,"unhandledrejection",r=>{t(r.reason,"uncaught")}),];return()=>r.forEach(t=>t())},tk:()=>Promise.reject(new A("there are no paths here: pass a Blob or a stream")),eh:()=>Promise.reject(new A("there are no paths here: pass a WritableStream, or nothing")),};
class CC extends BX{constructor(t){super(t,BZ)}}
globalThis.SvcSDK={SvcClient:CC,SvcSDK:CC,LogLevel:CB,SvcApiError:C,SvcAuthError:L,SvcConnectionError:D,SvcError:A,compareVersions:CA,isComparableVersion:BD,SDK_VERSION:AM};globalThis.SvcClient=CC})();
