/*! svc-sdk 0.1.0 | Apache-2.0 */
class A extends Error{constructor(a,b){super(a);this.name=new.target.label;if(b!==undefined)Object.defineProperty(this,"cause",{value:b,configurable:true})}}
A.label="SvcError";
class L extends A{}
L.label="SvcAuthError";
class C extends A{constructor(a,b,c,d,e,f){super(b);this.status=a;this.body=c;this.retryAfter=d;this.method=e;this.path=f}toString(){return`[${this.status}] ${this.message}`}}
C.label="SvcApiError";
class D extends A{constructor(a,b,c=false){super(a,b);this.timeout=c}}
D.label="SvcConnectionError";
let AP=new TextEncoder(),
F=a=>AP.encode(a),
G=a=>a.replace(/[A-Z]+/g,a=>a.toLowerCase());
function Q(a){let b=2166136261;for(let c of F(a))b=Math.imul(b^c,16777619);return(b>>>0).toString(16).padStart(8,"0")}
function AQ(a){let b=a.trim().replace(/\/+$/,"");return/^https?:\/\//i.test(b)?b:null}
function AR(a){let[,b,c]=/^(.*?):\/\/([^/?#]*)/s.exec(a.trim())||[];if(b===undefined)return G(a.trim());let d=G(b+"://"+c.replace(/^.*@/s,""));return d.replace(/:$/,"").replace(/^(http:.*):80$|^(https:.*):443$/s,"$1$2")}
let AS=(a,b)=>Q(AR(a))+"-"+(G((b||"").trim())||"default");
function R(a,b){let c=new Date(a+b*1000),d=Number.isNaN(+c)?"":c.toISOString();if(b%60||d.length!==24)return null;let e=Math.abs(b/60),f=a=>String(a).padStart(2,"0");return d.slice(0,23)+(b<0?"-":"+")+f(Math.floor(e/60))+":"+f(e%60)}
let H=a=>(a||"").replace(/[^!-~]+/g," ").trim().slice(0,32).trim()||null,
AT=a=>/^\.{0,2}$/.test(a)?null:encodeURIComponent(a);
function AU(a,b){let c=(a||"").trim();if(/^\d+$/.test(c))return+c;let d=/^[A-Za-z]+,? /.test(c)?Date.parse(c):NaN;return Number.isNaN(d)?null:Math.max(0,Math.ceil(d/1000-b))}
function S(a,b,c,d,e,f=0){let g=/^(50[234]|dns|connect|connect_timeout|tls_handshake|stale_connection)$/;if(!/^(GET|HEAD)$/.test(a)||b>=c||!g.test(String(d))||(e||0)>30)return null;return Math.max(Math.min(300*2**b,5000)*(1+f/4),(e||0)*1000)}
let T=(a,b,c)=>Math.max(Math.min(a*2**(b-1),60000),Math.min((c||0)*1000,3600000));
function U(a,b){if(a>=200&&a<300)return"drop_batch";if([400,413,422].includes(a))return b>1?"split":"drop_batch";return[401,403,404,405,410].includes(a)?"hold":"retry"}
function V(a){let b=G(String(a).trim());return/^[a-z0-9_.:-]{1,64}$/.test(b)?b:null}
function AV(a,b){let{message:c,error:d}=b||{},e=Array.isArray(c)?c.join("; "):c;return[e,d].find(a=>!!a&&typeof a==="string")||`HTTP ${a}`}
function AW(a){let b={};for(let c of a.split("|")){let d=c.split(" ");d.forEach(a=>b[a]=d[0])}return b}
let W=AW("windows win win32 win64 .exe .msi .msix|macos mac osx darwin .dmg .pkg|"+"linux .deb .rpm .appimage .flatpak .snap|android .apk .aab|ios iphone ipad .ipa|web wasm"),
AX=a=>a.toLowerCase().replace(/x86[_-]64/g,"amd64").split(/[^a-z0-9]+/),
X=(a,b)=>new Set(b.map(b=>a[b]).filter(Boolean));
function AY(a,b,c=()=>0){let d=null,e=6;a.forEach((a,f)=>{let g=AZ(a.url.replace(/[?#].*/s,"").replace(/.*\//s,"")),h=[a.platform||"",a.name||"",g].map(AX),i=(/\.\w+$/.exec(g.toLowerCase())||[])[0]||"",j=(a.platform||"").trim()?X(W,h[0]):[h[1],h[2],[i]].map(a=>X(W,a)).find(a=>a.size),k=c(h),l=!b||k>2||(j&&!j.has(b))?9:k+(j?0:3);if(l<e){e=l;d=f}});return d}
function AZ(a){try{return decodeURIComponent(a)}catch{return a}}
let BA=a=>/^https?:\/\/[^?#]*\/f\/[^/?#]+\/[0-9a-z]{12}\/[^/?#]+([?#]|$)/.test(a),
BB=(a,b,c)=>!a||!(c<a.next_at&&c>=a.checked_at&&c<a.checked_at+b*1.2);
function BC(a){if(a.required)return"required";if(!a.should_update)return"none";return a.milestone.target_is_milestone?"milestone":"optional"}
let Y=/^(\d+(?:\.\d+)*)(?:-(alpha|beta|rc)(?:\.(\d+(?:\.\d+)*))?)?$/,
BD=a=>Y.test(a);
function CA(a,b){let[c,d]=[a,b].map(a=>{let b=BD(a)&&Y.exec(a);if(!b)throw new RangeError(`not a comparable version: ${JSON.stringify(a)}`);return b});return Z(c[1],d[1])||AA(c[2]||"z",d[2]||"z")||Z(c[3]||"0",d[3]||"0")}
let AA=(a,b)=>a<b?-1:a>b?1:0;
function Z(a,b){let[c,d]=[a.split("."),b.split(".")];for(let e=0;e<Math.max(c.length,d.length);e++){let f=AA(BigInt(c[e]||0),BigInt(d[e]||0));if(f)return f}return 0}
function I(){if(crypto.randomUUID)return crypto.randomUUID();let a=crypto.getRandomValues(new Uint8Array(16));a[6]=(a[6]&15)|64;a[8]=(a[8]&63)|128;let b=[...a].map(a=>a.toString(16).padStart(2,"0")).join("");return b.replace(/(.{8})(.{4})(.{4})(.{4})/,"$1-$2-$3-$4-")}
let BE=32<<20;
function M(a,b){return new Promise((c,d)=>{let e=()=>d(new Error("aborted"));b.addEventListener("abort",e);if(b.aborted)e();a.then(c,d).finally(()=>b.removeEventListener("abort",e))})}
async function E(a,b,c){let d=new AbortController(),e=null,f=a=>{e=e||a;d.abort()},g=()=>f("aborted"),h=a?setTimeout(f,a,"read_timeout"):undefined;b?.addEventListener("abort",g);try{if(b?.aborted){g();throw b.reason}return{value:await M(c(d.signal),d.signal),failure:null}}catch(i){return{cause:i,failure:e||"connect"}}finally{clearTimeout(h);b?.removeEventListener("abort",g)}}
function B(a,b){let c={read_timeout:"the time limit ran out",aborted:"the request was cancelled",body:"the answer broke off",large:"the answer is larger than 32 MiB",};return new D(c[a]||"no connection",b,a==="read_timeout")}
async function N(a,b,c){if(a.closed.aborted)throw new A("the client is closed");let d={...b},{method:e,path:f,signal:g}=c,{_d:h}=a.host,i=O(d,c),j=c.admin?await BF(d.token):null;for(let k=0;;k++){let l=h._i(),m={method:e,headers:AB(a,d,c,j),credentials:"omit",body:c.raw??(c.body===undefined?null:JSON.stringify(c.body)),},n="",{value:o,cause:p,failure:q}=await E(a.timeoutMs,g,async b=>{let c=await a.host.fetch(a.fetch,i,{...m,signal:b});n="body";let d=await BG(c,()=>n="large");return{status:c.status,text:d,after:AU(c.headers.get("retry-after"),h.now()/1000)}}),r=o?o.status:0;a.log({message:"request",method:e,path:f,status:r,attempt:k+1,durationMs:h._i()-l});if(o&&r>=200&&r<300&&!o.text.trim())return null;let s=o&&BH(o.text);if(s&&r>=200&&r<300&&s.json)return s.value;let t=q==="connect"&&n?n:q,u=S(e,k,a.retries,t||r,o?o.after:null,h.random());if(u===null||g?.aborted)throw o?new C(r,AV(r,s.value),s.value,o.after,e,f):B(t,p);let v=await E(0,g,b=>M(h._at(u,a.closed),b));if(v.failure)throw B(v.failure,g?.reason);if(a.closed.aborted)throw new A("the client is closed")}}
function O(a,{path:b,_bp:c=[],query:d={}}){let e=0,f=b.replace(/{(\w+)}/g,(b,d)=>{if(d==="k"&&!a.projectKey)throw new A("no project is bound: set projectKey");let f=AT(String((d==="k"?a.projectKey:c[e++])??""));if(!f)throw new A(`${d} must not be empty, "." or ".."`);return f}),g=Object.entries(d).filter(([,a])=>a!=null).map(([a,b])=>encodeURIComponent(a)+"="+encodeURIComponent(String(b)));return a.baseUrl+f+(g.length?"?"+g.join("&"):"")}
async function BF(a){let b;try{b=typeof a==="function"?await a():a}catch(c){throw new L("the token function failed",c)}if(!b)throw new L("this method needs a credential: set token or log in");return b}
function AB(a,b,c,d){let e=a.host._d.now(),f=a._au?R(e,new Date(e).getTimezoneOffset()*-60):null,g=c.raw==null||typeof c.raw==="string";try{let h=new Headers(a.headers);for(let[i,j]of[["accept","application/json"],["authorization",d&&"Bearer "+d],["user-agent",a.userAgent],["content-type",c.raw==null&&c.body===undefined?null:g?"application/json":"application/octet-stream"],["x-svc-platform",b.platform],["x-svc-platform-version",b.platformVersion],["x-svc-client-time",f],]){if(j)h.set(i,j);else if(i!=="user-agent")h.delete(i)}return h}catch{throw new A("a header has a value that cannot be sent")}}
async function BG(a,b){let c=a.body?.getReader(),d=new TextDecoder(),e="",f=0;for(;;){let{done:g,value:h}=c?await c.read():{done:true,value:undefined};if(g||!h)return e+d.decode();f+=h.length;if(f>BE){b();void c.cancel();throw new Error("too large")}e+=d.decode(h,{stream:true})}}
function BH(a){try{return{json:true,value:JSON.parse(a)}}catch{return{json:false,value:a.slice(0,65536)}}}
let BI={now:()=>Date.now(),_i:()=>performance.now(),random:()=>Math.random(),_at:(a,b)=>new Promise(c=>{let d=()=>{clearTimeout(e);b.removeEventListener("abort",d);c()},e=setTimeout(d,a);b.addEventListener("abort",d);if(b.aborted)d()}),};
function J(a,b){let c=setTimeout(a,b);c.unref?.();return c}
let AC=/^[ -~]{1,128}$/,
BJ=65536,
AD=16384;
class BK{constructor(a,b,c,d,e,f,g,h){this.host=a;this._c=b;this._av=c;this._g=d;this._ag=e;this._bq=f;this.log=g;this.project=h;this.entries=[];this._n=false;this.sent=0;this.dropped=0;this._aw=0;this._ah=0;this.abort=new AbortController();this._w=[];this._ai=false;this._x=true;this._ax=-Infinity;this._r=0;this._k=0;this._o=0;this._s=new Set();this._t=false}get _j(){if(!this._c.enabled)return false;this._y();if(this._ay){if(this._e||this.entries.length||this._m("distinct_id")!=null||this._m("queue")!=null)this._z();return false}return!this._n&&this._bq()}hasOptedOut(){this._y();return this._n}get _ay(){return this._c.respectDoNotTrack&&this.host.doNotTrack()}get _az(){if(!this._e){let a=this._m("distinct_id");this._e=a&&AC.test(a)?a:I();if(this._e!==a){this._t=true;this._h(true)}}return this._e}track(a,b){let c=V(a);if(!c){this._aa(String(a),"invalid name");return}let d=b==null?"":BL(b);if(d.length*3>AD&&F(d).length>AD){this._aa(c,"properties over 16 KiB");return}let{_i:e,now:f}=this.host._d,g=e();if(!this.session||g-this._aw>this._c.sessionTimeoutMs)this.session=I();this._aw=g;let h=!this._e,i=AE(I(),c,Math.floor(f()/1000),d,this._az,this.session,this.project);this.entries.push(i);if(this.entries.length>this._c.maxQueueSize){let[j]=this.entries.splice(this.entries.findIndex(a=>!this._w.includes(a)),1);this._s.add(j.id);this._aa(j.name,"queue full")}this._h(h);if(this.entries.length>=this._c.batchSize)this._ab();this._u()}async flush(){let{sent:a,dropped:b}=this;this._k=Math.min(this._k,2);let c=this._j;while(c&&this.entries.length)c=await(this._f||this._aj(true));return{sent:this.sent-a,dropped:this.dropped-b,pending:this.entries.length}}_z(){this._ah++;this.abort.abort();this.abort=new AbortController();this.entries=[];this._w=[];this._s.clear();this._e=this.session=undefined;this._t=false;this._ba();this._ak({distinct_id:null,queue:null})}_bb(a){this._y();if(a)this._z();this._n=a;this._ak({opt_out:a?"1":null})}resetIdentity(){this._e=I();this.session=undefined;this._t=true;this._h(true)}_al(a){this._y();this.remove(this.entries.filter(b=>b._e===a));this._h(true)}_bc(){this._x=false;this._ba();if(this._ai)this._h(true)}_br(){this._x=true;if(this._k)this._k=this._o=0;this._u()}async _cg(){while(this._f)await this._f}_h(a=false){if(!this._g||this._c.persistence!=="persistent"||(this._v&&!a))return;let b=this._ax+1000-this.host._d._i();if(!a&&b>0){this._v=J(()=>this._h(true),b);return}clearTimeout(this._v);this._v=undefined;this._ax=this.host._d._i();if(this._m("opt_out")==="1"&&!this._n){this._z();this._n=true;return}let c=new Set(this.entries.map(a=>a.id)),d=AF(this._m("queue")).filter(a=>!c.has(a.id)&&!this._s.has(a.id)),e=[...d,...this.entries].slice(-this._c.maxQueueSize);this._s.clear();this._ak({queue:e.length?"["+e.map(BM).join()+"]":null,...(this._t&&{distinct_id:this._e}),});this._t=false}_bd(a,b=""){let[c]=this.entries,d=a-AG(c,b).length-2,e=this.entries.findIndex((a,b)=>{d-=a.size+(b?2:1);return b&&(a._e!==c._e||a.session!==c.session||b===this._c.batchSize||d<0)});return this.entries.slice(0,e<0?undefined:e)}remove(a){let b=new Set(a.map(a=>a.id));b.forEach(a=>this._s.add(a));this.entries=this.entries.filter(a=>!b.has(a.id))}_aa(a,b){this.dropped++;this._c.onDrop(a,b)}_ab(){if(!this._f&&this._x&&this._k<3&&this.host._d._i()>=this._o&&this._j)void this._aj(false)}_u(){if(this.entries.length&&!this._p&&this._x&&this._k<3){let a=this._o-this.host._d._i();this._p=J(()=>{this._p=undefined;if(this._j&&!this._f&&this.host._d._i()>=this._o)void this._aj(true);else this._u()},a>0?a:this._c.flushIntervalMs)}}_ba(){clearTimeout(this._p);clearTimeout(this._v);this._p=this._v=undefined}_aj(a){let b=Promise.resolve().then(async()=>{while(this.entries.length>=(a?1:this._c.batchSize)){if(!this._j||!(await this._am(this._bd(BJ))))return false}return true}).finally(()=>{this._f=undefined;this._u()});return this._f=b}async _am(a){let{_ah:b,_c:c}=this;this._w=a;let{status:d,after:e,message:f,rejected:g}=await this._ag(AH(a),this.abort.signal);if(b!==this._ah)return false;this._w=[];let h=U(d,a.length);if(h==="split"){let i=a.length>>1,j=()=>a.slice(i).filter(a=>this.entries.includes(a));return(await this._am(a.slice(0,i)))&&(!j().length||this._am(j()))}if(h==="drop_batch"){this.remove(a);this._r=this._k=0;this._o=0;if(d<300){this.sent+=a.length;(g||[]).forEach(b=>c.onDrop(a[b.index]?.name||"",b.message))}else this._aa(a[0].name,f||"refused");this._h();return true}let k=60000;if(h==="hold")this._k++;else{this._k=0;k=T(c.flushIntervalMs,++this._r,e)}this._o=this.host._d._i()+k;clearTimeout(this._p);this._p=undefined;this._h(true);return false}_y(){if(!this._ai){this._ai=true;this._n=this._m("opt_out")==="1";if(this._c.persistence==="persistent"){let a=AF(this._m("queue")).filter(({project:a})=>!a||a===this.project);this.entries=a.slice(-this._c.maxQueueSize);this._u()}}}_m(a){if(!this._g||(this._c.persistence!=="persistent"&&a!=="opt_out"))return null;try{return this._g.read([this._av+a])[0]??null}catch{return this._be()}}_ak(a){let b={};for(let c of Object.keys(a)){if(this._c.persistence==="persistent"||c==="opt_out")b[this._av+c]=a[c]}try{this._g?.write(b)}catch{this._be()}}_be(){this._g=null;this.log("local state cannot be kept");return null}}
function AE(a,b,c,d,e,f,g){let h=`{"event_id":${JSON.stringify(a)},"name":"${b}","occurred_at":${c}`+(d&&',"properties":'+d);return{id:a,name:b,_e:e,session:f,project:g,_bf:h,size:F(h).length}}
let AG=({_e:a,session:b},c)=>`{"distinct_id":${JSON.stringify(a)}`+(b===undefined?"":`,"session_id":${JSON.stringify(b)}`)+`${c},"events":[`,
AH=(a,b="")=>AG(a[0],b)+a.map(a=>a._bf+"}").join()+"]}",
BM=({_bf:a,_e:b,session:c,project:d})=>a+","+JSON.stringify({distinct_id:b,session_id:c,project_key:d}).slice(1);
function AF(a){let b;try{b=JSON.parse(a||"[]")}catch{}let c=[];for(let d of Array.isArray(b)?b:[]){let{event_id:e,name:f,occurred_at:g,properties:h,distinct_id:i,session_id:j,project_key:k}=d||{};if([e,i].every(a=>typeof a==="string"&&AC.test(a))&&V(f)===f&&Number.isSafeInteger(g)&&(j==null||(typeof j==="string"&&j.length<=128))&&(k==null||typeof k==="string")&&(h==null||(typeof h==="object"&&!Array.isArray(h)))){let l=h?JSON.stringify(h):"",m=[j,k].map(a=>a??undefined);c.push(AE(e,f,g,l,i,m[0],m[1]))}}return c}
function BL(a){let b=a=>JSON.stringify(a,(a,b)=>/^(bigint|function|symbol)$/.test(typeof b)?String(b):b);if(!a||typeof a!=="object"||Array.isArray(a))return"";let c=AI(()=>b(a));if(c?.[0]!=="{"){let d=[];for(let e of Object.keys(a)){let f=AI(()=>[b(a[e])])||['"[unreadable]"'];if(f[0])d.push(JSON.stringify(e)+":"+f[0])}c="{"+d.join()+"}"}return c==="{}"?"":c}
function AI(a){try{return a()}catch{return undefined}}
let AJ="/public/{k}/events",
AK=60000,
AL=a=>({read:b=>b.map(b=>a.read(b)??null),write(b){for(let[c,d]of Object.entries(b)){if(d===null)a.remove(c);else a.write(c,d)}},});
function BN(a,b){let c=(b,c,d)=>{let e=a[b]??c;if(!(e>=d))throw new A(`analytics.${b} must be ${d===1?"at least 1":"more than 0"}`);return e},d=a.persistence??"persistent";if(!["persistent","device","session","none"].includes(d))throw new A("analytics.persistence must be persistent, session or none");let e=new Set();return{enabled:a.enabled??true,requireConsent:a.requireConsent??false,persistence:d==="device"?"persistent":d,flushIntervalMs:c("flushIntervalMs",5000,Number.MIN_VALUE),batchSize:Math.min(c("batchSize",20,1),50),maxQueueSize:c("maxQueueSize",500,1),sessionTimeoutMs:c("sessionTimeoutMs",1800000,Number.MIN_VALUE),respectDoNotTrack:a.respectDoNotTrack??true,onDrop(c,d){if(!e.has(c)&&e.size<500){e.add(c);b("event dropped: "+d)}try{a.onDrop?.(c,d)}catch{}},}}
class BO{constructor(a,b,c){this._b=a;this._a=b;this._ac=c;this._an=new Map();this._bg=null;this._ao=false;this.closed=false;this._ad=AK;this.host=a.host;this._c=BN(c,b=>a.log({message:b}))}get namespace(){return this._ac.namespace??AS(this._a.baseUrl,this._a.projectKey)}_g(a=""){if(this._c.persistence==="none")return null;return this._ac.storage?AL(this._ac.storage):this.host._g(this.namespace,a)}get _j(){return!this.closed&&this.queue._j}get distinctId(){return this._j?this.queue._az:null}track(a,b){try{if(this._j){this._bs();this._ad=AK;this.queue.track(a,b)}}catch{this._b.log({message:"event not collected"})}}flush(){return this.queue.flush()}optOut(){this.queue._bb(true)}optIn(){this.queue._bb(false)}hasOptedOut(){let{queue:a}=this;return a._ay||a.hasOptedOut()}grantConsent(){this._ao=true}revokeConsent(){this._ao=false;if(this._c.requireConsent)this.queue._z();else this.optOut()}resetIdentity(){if(this._j)this.queue.resetIdentity()}_al(a){this.queue._al(a)}async close(a){await this._bh(a);this.closed=true;this._bi?.forEach(a=>a());this._an.forEach(a=>a._bc())}get queue(){let{projectKey:a}=this._a,{current:b,_bg:c}=this;if(b&&c===a)return b;b?._bc();if(b&&this._c.persistence!=="persistent")void b.flush();let d=this._an.get(a)||this.open(a);this._an.set(a,d);this._bg=a;this.current=d;d._br();return d}open(a){return new BK(this.host,this._c,`svc.analytics.${this.namespace}.`,this._g(),(b,c)=>this._ag(a,b,c),()=>!this.closed&&(!this._c.requireConsent||this._ao),a=>this._b.log({message:a}),this._ac.namespace===undefined?undefined:(a??undefined))}async _ag(a,b,c){try{let d={method:"POST",path:AJ,raw:b,signal:c},e=await N(this._b,{...this._a,projectKey:a},d);return{...e,status:202}}catch(f){return f instanceof C?{status:f.status,after:f.retryAfter,message:f.message}:{status:0}}}async _bh(a){if(this.current&&!this.closed){let{current:b}=this;await new Promise(c=>{let d=setTimeout(c,a);void b.flush().finally(()=>{clearTimeout(d);c()})});b._h(true)}}_bs(){this._bi=this._bi||[this.host._bt(()=>this._bh(2000)),this.host._bu(()=>this._bv())]}_bv(){let{queue:a,_a:b,host:c}=this;if(!b.projectKey||!this._j)return;a._h(true);let d=c._d.now(),e=Object.entries({platform:b.platform,platform_version:b.platformVersion,client_time:this._b._au?R(d,new Date(d).getTimezoneOffset()*-60):null,}).map(([a,b])=>b?`,"${a}":${JSON.stringify(b)}`:"").join(""),f=O(b,{method:"POST",path:AJ});while(a.entries.length){let g=a._bd(this._ad,e),h=AH(g,e);this._ad-=F(h).length;if(this._ad<0||!c._bw(f,h))break;a.remove(g)}a._h(true)}}
let AM="0.1.0",
AN="/public/{k}/logs";
class BP{constructor(a,b,c){this._b=a;this._a=b;this.appVersion=c;this._l=[];this._q=new Map();this._ae=10;this._bj=0;this.dropped=0;this._r=0;this._ap=false}capture(a,b={}){if(this.add(a,b))this._af()}install(a={}){this.redact=a.redact;let{level:b}=a,c=[this._b.host._bx((a,c,d)=>{if(this.add(a,{level:b,source:c})&&!d)this._af();else if(d)this._bk()}),];if(a.console){let{error:d}=console,e=(...a)=>{d.apply(console,a);this.capture(a.find(a=>a instanceof Error)||a.map(String).join(" "),{level:b,source:"console"})};console.error=e;c.push(()=>{if(console.error===e)console.error=d})}return()=>c.forEach(a=>a())}async flush(a=2000){let b=new Promise(b=>J(()=>b(null),a));await Promise.race([this._af(),b])}async close(a){if(this._l.length)await this.flush(a);clearTimeout(this._ab)}add(a,b){if(this._ap||this._b.closed.aborted)return false;this._ap=true;try{let c=this._b.host._d._i(),d=BQ(a),e=Q([d.type,d.message,d.frame].join("\n")),f=this._q.get(e);if(f&&c-f.at<60000){f.repeated++;return false}this._ae=Math.min(10,this._ae+(c-this._bj)/6000);this._bj=c;if(this._ae<1){this.dropped++;return false}let g=[d.type,d.message].filter(Boolean).join(": "),{source:h}=b,i=(this.redact||(a=>a))({level:b.level??3,content:[...(d.stack?g+"\n"+d.stack:g).slice(0,8192)].slice(0,4096).join(""),...(h&&{source:h.slice(0,128)}),device_info:this.device(),custom_data:{...b.customData,fingerprint:e,...(f?.repeated&&{repeated:f.repeated}),...(this.dropped&&{dropped:this.dropped}),},});this._q.delete(e);this._q.set(e,{at:c,repeated:0});if(this._q.size>500)this._q.delete(this._q.keys().next().value);if(!i)return false;this._ae--;this.dropped=0;this._l.push(i);if(this._l.length>100)this._l.shift();return true}catch{return false}finally{this._ap=false}}device(){let{host:a}=this._b,{platform:b,platformVersion:c}=this._a,d={sdk:"svc-sdk-js/"+AM,runtime:a.runtime(),os:b,os_version:b&&c,arch:a.arch(),app_version:this.appVersion,};return Object.fromEntries(Object.entries(d).filter(([,a])=>a))}_af(){clearTimeout(this._ab);return this._f=this._f||Promise.resolve().then(()=>this._by()).finally(()=>this._f=undefined)}async _by(){while(this._l.length){let[a]=this._l,b=0;try{await N(this._b,this._a,{method:"POST",path:AN,body:a});this._r=0}catch(c){let d=c instanceof C?c.status:0;if(d===429||U(d,1)==="retry"){let e=c instanceof C?(c.retryAfter??0):0;b=T(5000,++this._r,e)}if(c instanceof A&&!b)this._b.log({message:"error report dropped",status:d})}if(b){this._ab=J(()=>void this._af(),b);return}if(this._l[0]===a)this._l.shift()}}_bk(){let{_b:a,_a:b}=this,c=this._l.pop();if(c&&b.projectKey){let d={method:"POST",path:AN,body:c};a.host._bk?.(O(b,d),AB(a,b,d,null),JSON.stringify(c))}}}
function BQ(a){if(!(a instanceof Error))return{type:"",message:String(a),stack:"",frame:""};let{name:b,message:c,stack:d=""}=a,e=[b,c].filter(Boolean).join(": "),f=(d.startsWith(e)?d.slice(e.length):d).replace(/^\s*\n/,"").trimEnd(),g=(f.split("\n")[0]||"").trim().replace(/^at /,""),[,h,i]=/^(.*?) ?\((.*)\)$/.exec(g)||/^(.*?)@(.*)$/.exec(g)||["","",g],j=i.replace(/(:\d+)+$/,"").replace(/[?#].*/s,"").replace(/^.*[\\/]/s,"");return{type:b,message:c,stack:f,frame:j&&`${h||"<anonymous>"} (${j})`}}
let BR=`
health GET /health
login POST /auth/login !`,
BS=`
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
BT=`
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
function P(a,b){let c={};for(let d of a.trim().split("\n")){let[e,f,g,h=""]=d.split(" "),i=g.replace("{k}","").split("{").length-1,j=h[0]||"",k=async(...a)=>{let c=j?a[i]:{},{signal:d,extra:e}=a[j?i+1:i]||{},k={method:f,path:g,signal:d,_bp:a.slice(0,i).map(a=>String(a??""))};if(j==="#")k.raw=c;let l=j==="#"?{}:{...c,...e};if(j==="?"||f==="GET")k.query=l;else if(j==="!"||Object.keys(l).length)k.body=l;return b(h,k,l)};c[e]=k;if(h.includes("*"))c[e.replace("list","iter")]=async function*(a,b){for(let c=0;;){let d=await k({...a,limit:100,offset:c},b);yield*d.data;c+=d.data.length;if(!d.data.length||c>=d.total)return}}}return c}
class AO{constructor(a,b,c,d,e){this._b=a;this._a=b;this.answer=c;this.checkedAt=d;this.remembered=e;this.decision=BC(c);this.target=c.target_version;this.reasonCodes=c.reason_codes;let f=this.target?.download_links||[],g=AY(f,b.platform,a.host._ch);this.link=g===null?null:f[g]}async download(a,b={}){let c=b.link||this.link,d=c?.url||"";if(!/^https?:\/\//i.test(d)||(/^http:/i.test(d)&&/^https:/i.test(this._a.baseUrl)))throw new A(c?"the link cannot be downloaded safely: "+d.replace(/[?#].*/s,""):"there is no link for this platform");return BU(this._b,d,a,b)}}
class BV{constructor(a,b,c,d,e){this._b=a;this._a=b;this.analytics=c;this._bz=d;this.appVersion=e;this._f=new Map()}check(a={}){let b=a.currentComparableVersion,c=a.currentVersion??(b?undefined:(this.appVersion??undefined));if(!c&&!b)return Promise.reject(new A("currentVersion is needed, or appVersion of the client"));let d=a.locale===undefined?this._a.locale:a.locale,e=!!a.includePreview,f=[c,b,e,d].map(a=>a??"").join("|"),g=`svc.updates.${this.analytics.namespace}.last`,h=(a.intervalMs??21600000)/1000,i=Math.floor(this._b.host._d.now()/1000),j=this._ca(g);if(j&&j.key===f&&!a.force&&!BB(j,h,i))return Promise.resolve(new AO(this._b,this._a,j.answer,j.checked_at,true));let k=g+"\n"+f,l=this._f.get(k);if(!l){l=this._cb(g,f,h,i,{current_version:c,current_comparable_version:b,include_preview:a.includePreview,locale:d,},a.signal).finally(()=>this._f.delete(k));this._f.set(k,l)}return l}async _cb(a,b,c,d,e,f){let g=await this._bz.checkUpdate(e,{signal:f}),h=d+c*(1+this._b.host._d.random()/5);this._cc(a,{checked_at:d,next_at:Math.floor(h),key:b,answer:g});return new AO(this._b,this._a,g,d,false)}_ca(a){if(this._bl?.name===a)return this._bl.memory;try{let b=JSON.parse(this.analytics._g(".updates")?.read([a])[0]||"null");if(b&&typeof b.answer.should_update==="boolean"&&Number.isFinite(b.checked_at+b.next_at))return b}catch{}return null}_cc(a,b){this._bl={name:a,memory:b};let c=JSON.stringify(b);if(c.length>262144)c=JSON.stringify(b,(a,b)=>a==="content"?null:b);try{this.analytics._g(".updates")?.write({[a]:c})}catch{this._b.log({message:"local state cannot be kept"})}}}
function BW(a){let b=[],c=()=>new Blob(b);return{size:0,write(a){b.push(a);this.size+=a.length},_aq(){b=[];this.size=0},async digest(){let a=await crypto.subtle?.digest("SHA-256",await c().arrayBuffer());return a?[...new Uint8Array(a)].map(a=>a.toString(16).padStart(2,"0")).join(""):null},async _cd(){if(!a)return{blob:c()};await c().stream().pipeTo(a);return{}},async _ce(){b=[];await a?.abort()},}}
async function BU(a,b,c,d){let{host:e}=a,{signal:f,onProgress:g}=d,h=BA(b),i,j=null,k=null,l=a=>{throw new D(a)},m=async d=>{let f=j&&i?i.size:0,n=e._ar?{"accept-encoding":"identity"}:{};if(f){n.range=`bytes=${f}-`;n["if-range"]=j}let o=async b=>{let{value:c,cause:e,failure:f}=await E(a.timeoutMs,d,b);if(f)throw B(f,e);return c},p=await o(()=>e.fetch(a.fetch,b,{headers:n,signal:d,credentials:"omit"},true)),{status:q}=p;if(q===416&&i){await i._aq();return 416}if(q!==200&&q!==206)return[502,503,504].includes(q)?q:l(`the download was answered with ${q}`);let r=p.headers.get("etag"),s=p.headers.get("content-encoding")?null:p.headers.get("content-length");if(q===206){let[,t,u]=/^bytes (\d+)-\d+\/(\d+)$/.exec(p.headers.get("content-range")||"")||[];if(t===undefined||+t!==f||+u!==k){await i._aq();return q}}else{k=s?+s:null;j=r?.startsWith('"')?r:null;let v=h?/^"([0-9a-f]{64})"$/.exec(r||"")?.[1]:"";if(v===undefined||(h&&k===null))return l("the link names a file of the service, but its answer has no size and hash");if(!i){i=typeof c==="string"?await e._cf(c,v.slice(0,16)||null):BW(c);if(i.size&&i.size<k){await p.body?.cancel();return m(d)}}await i._aq()}let w=p.body?.getReader();for(;;){let{done:x,value:y}=w?await o(()=>w.read()):{done:true,value:undefined};if(x||!y)return null;await i.write(y);g?.(i.size,k);if(k!==null&&i.size>k)return l("the download has another size than its record")}};try{for(let n=0;;n++){let o=i?i.size:0,p,{value:q,cause:r,failure:s}=await E(0,f,m);if(s==="aborted")throw B(s,f?.reason);if(s){p=r;if(r instanceof D&&r.cause===undefined&&!r.timeout)throw r}else if(q===null&&(k===null||i.size>=k))break;if(i&&i.size>o)n=-1;let t=n<4?S("GET",Math.max(n,0),99,"connect",null,e._d.random()):null;if(t===null)throw p instanceof D?p:B("body",p);await E(0,f,b=>M(e._d._at(t,a.closed),b));if(f?.aborted||a.closed.aborted)throw B("aborted",f?.reason)}let{size:u}=i,v=await i.digest(),w=h&&`"${v}"`===j;if(k!==null&&u!==k)l("the download has another size than its record");if(h&&!w)l(v?"the download has another SHA-256 than its record":"SHA-256 needs a secure context (HTTPS)");return{...(await i._cd()),size:u,sha256:v,verified:w}}catch(x){await i?._ce();throw x instanceof A?x:B("body",x)}}
class BX{constructor(a,b){this._bm=new AbortController();let c=AQ(String(a.baseUrl));if(!c)throw new A("baseUrl must start with http:// or https://");if(!c.replace(/^.*?:\/\/[^/]*/,"").includes("/api/v"))console.warn("svc-sdk: baseUrl has no /api/v… in its path");let d=a.timeoutMs??15000,e=a.retries??3;if(!(d>=0&&e>=0))throw new A("timeoutMs and retries must not be negative");let f=a.appIdentifier||"",g={...a.headers};if([f,...Object.entries(g).flat()].some(a=>/[\r\n]/.test(a)))throw new A("appIdentifier and headers must not contain line breaks");let{logger:h}=a;this._a={baseUrl:c,projectKey:a.projectKey||null,token:a.token||null,platform:H(a.platform===undefined?b.platform():a.platform),platformVersion:H(a.platformVersion===undefined&&a.platform!==null?b.platformVersion():a.platformVersion),locale:a.locale??null,};this._b={host:b,fetch:a.fetch||((a,b)=>fetch(a,b)),timeoutMs:d,retries:e,headers:g,userAgent:b._ar&&[`${b._ar}/${AM}`,f].filter(Boolean).join(" "),_au:a.sendClientTime??true,closed:this._bm.signal,log(a){try{h?.(a)}catch{}},};let i=a.appVersion??null,j=this.analytics=new BO(this._b,this._a,a.analytics||{}),k=a=>(b,c,d)=>{let{locale:e}=this._a;if(b.includes("l")&&d.locale===undefined&&e)d.locale=e;if(b.includes("v")&&d.version===undefined&&i)d.version=i;return N(this._b,this._a,{...c,admin:a})};this._bn=P(BR,k(false));let l=P(BS,this._bo(k(false),i));for(let m of["track","flush","optOut","optIn","hasOptedOut","grantConsent","revokeConsent","resetIdentity"])l[m]=j[m].bind(j);Object.defineProperty(l,"distinctId",{get:()=>j.distinctId,enumerable:true});this.public=l;this.admin=P(BT,this._bo(k(true),i));this.admin.uploadFile=(a,b,c={})=>this.upload(a,b,c);this.updates=new BV(this._b,this._a,j,this.public,i);this.logs=new BP(this._b,this._a,i)}get projectKey(){return this._a.projectKey}health(a){return this._bn.health(a)}async login(a,b,c){let d=await this._bn.login({username:a,password:b},c);this._a.token=d.access_token;return d}setToken(a){this._a.token=a}clearToken(){this._a.token=null}setProjectKey(a){this._a.projectKey=a||null}setPlatform(a){this._a.platform=H(a)}setPlatformVersion(a){this._a.platformVersion=H(a)}setLocale(a){this._a.locale=a}async close({timeoutMs:a=2000}={}){if(!this._b.closed.aborted){await Promise.all([this.analytics.close(a),this.logs.close(a)]);this._bm.abort()}}_bo(a,b){return(c,d,e)=>{let{method:f,path:g}=d;if(g.endsWith("/events/me")){let h=e.distinct_id??(e.distinct_id=this.analytics.distinctId);if(!h)throw new A("there is no identifier: nothing is collected");if(f==="DELETE")this.analytics._al(h)}if(g.endsWith("/check-update")){if(e.locale===null)delete e.locale;if(e.current_version==null&&e.current_comparable_version==null){if(!b)throw new A("current_version or current_comparable_version is needed");e.current_version=b}}if(g==="/public/{k}/feedbacks"&&e.forward_to_codehost===true&&!String(e.contact??"").trim())throw new A("contact is needed when feedback is forwarded");if(g==="/admin/projects"&&f==="POST"&&e.project_key===undefined&&this.projectKey)e.project_key=this.projectKey;if(e.refresh===false)delete e.refresh;return a(c,d,e)}}async upload(a,b,c){let{signal:d}=c,e=typeof a==="string"?await this._b.host.open(a):a instanceof Blob?a:await new Response(a).blob(),f=c.uploadId?await this.admin.getUpload(c.uploadId,{signal:d}):await this.admin.createUpload({filename:b,size:e.size,...(c.storageBackendId&&{storage_backend_id:c.storageBackendId})},{signal:d}),g=f.upload_id;for(let h=1;;h++){let{chunk_size:i,total_chunks:j}=f,k=new Set(f.received_chunks);try{for(let l=0;l<j;l++){if(!k.has(l)){let m=await e.slice(l*i,Math.min((l+1)*i,e.size)).arrayBuffer();await this.admin.putUploadChunk(g,l,new Uint8Array(m),{signal:d})}}return await this.admin.completeUpload(g,{signal:d})}catch(n){if(h===3||d?.aborted)throw n;f=await this.admin.getUpload(g,{signal:d})}}}}
let CB={debug:0,info:1,warning:2,error:3},
BY={read:a=>localStorage.getItem(a),write:(a,b)=>localStorage.setItem(a,b),remove:a=>localStorage.removeItem(a),};
function K(a,b,c){a?.addEventListener(b,c);return()=>a?.removeEventListener(b,c)}
let BZ={_d:BI,_ar:null,fetch:(a,b,c)=>a(b,c),platform:()=>globalThis.navigator?"web":"others",platformVersion:()=>null,arch:()=>null,runtime:()=>globalThis.navigator?.userAgent||"",_g(){try{return globalThis.localStorage?AL(BY):null}catch{return null}},doNotTrack(){let{navigator:a,window:b}=globalThis;return a?.globalPrivacyControl===true||[a?.doNotTrack,b?.doNotTrack].some(a=>a==="1"||a==="yes")},_bt:()=>()=>undefined,_bu(a){let{document:b,window:c}=globalThis,d=[K(b,"visibilitychange",()=>{if(b.visibilityState==="hidden")a()}),K(b&&c,"pagehide",a),];return()=>d.forEach(a=>a())},_bw(a,b){let c=globalThis.location&&new URL(a).origin===location.origin,d=c?"application/json":"text/plain;charset=UTF-8";try{if(typeof navigator.sendBeacon==="function"&&navigator.sendBeacon(a,new Blob([b],{type:d})))return true;fetch(a,{method:"POST",body:b,headers:{"content-type":d},keepalive:true,credentials:"omit"}).catch(()=>undefined);return true}catch{return false}},_bx(a){let b=[K(globalThis,"error",b=>{let{error:c,message:d}=b;a(c||d,"uncaught")}),K(globalThis,"unhandledrejection",b=>{a(b.reason,"uncaught")}),];return()=>b.forEach(a=>a())},open:()=>Promise.reject(new A("there are no paths here: pass a Blob or a stream")),_cf:()=>Promise.reject(new A("there are no paths here: pass a WritableStream, or nothing")),};
class CC extends BX{constructor(a){super(a,BZ)}}
export{CC as SvcClient,CC as SvcSDK,CB as LogLevel,C as SvcApiError,L as SvcAuthError,D as SvcConnectionError,A as SvcError,CA as compareVersions,BD as isComparableVersion,AM as SDK_VERSION};
