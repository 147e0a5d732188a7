//! The table of opcode forms, in the notation of the PTX manual's syntax lists.

/// One form a line, in the manual's order. What is not here is refused.
///
/// `.NAME = .a .b` gives a set of modifiers a name, `.a/.b` is one of several, `{.a}` may be left out. Operands:
/// `d` is written and `a`, `b`, `c`, `e` are read; `p` and `q` are predicates that are written, `!P` one that is
/// read and may be negated; `n` is a constant, `[a]` an address, `L` a label, `T` a list of labels; `D` and `A` are
/// vectors of as many values as the opcode says, `<d>` and `<a>` values that make up one; `.sel` chooses a part of
/// a value.
pub(super) const TABLE: &str = "
.INT = .u16 .u32 .u64 .s16 .s32 .s64
.RND = .rn .rz .rm .rp

# Integer arithmetic
add/sub.INT                                     d, a, b
add/sub.sat.s32                                 d, a, b
add.u16x2/.s16x2                                d, a, b
mul.lo/.hi.INT                                  d, a, b
mul.wide.u16/.s16/.u32/.s32                     d, a, b
mad.lo/.hi.INT                                  d, a, b, c
mad.wide.u16/.s16/.u32/.s32                     d, a, b, c
mad.hi.sat.s32                                  d, a, b, c
mul24.lo/.hi.u32/.s32                           d, a, b
mad24.lo/.hi.u32/.s32                           d, a, b, c
mad24.hi.sat.s32                                d, a, b, c
sad.INT                                         d, a, b, c
div/rem.INT                                     d, a, b
abs/neg.s16/.s32/.s64                           d, a
min/max.INT                                     d, a, b
min/max.u16x2/.s16x2                            d, a, b
min/max.relu.s16x2/.s32                         d, a, b
popc/clz/brev.b32/.b64                          d, a
bfind{.shiftamt}.u32/.u64/.s32/.s64             d, a
bfe.u32/.u64/.s32/.s64                          d, a, b, c
bfi.b32/.b64                                    d, a, b, c, e
szext.clamp/.wrap.u32/.s32                      d, a, b
bmsk.clamp/.wrap.b32                            d, a, b
dp4a.u32/.s32.u32/.s32                          d, a, b, c
dp2a.lo/.hi.u32/.s32.u32/.s32                   d, a, b, c

# Extended-precision arithmetic
.CARRY = .u32 .s32 .u64 .s64
add/sub.cc.CARRY                                d, a, b
addc/subc{.cc}.CARRY                            d, a, b
mad.lo/.hi.cc.CARRY                             d, a, b, c
madc.lo/.hi{.cc}.CARRY                          d, a, b, c

# Floating point
testp.finite/.infinite/.number/.notanumber/.normal/.subnormal.f32/.f64  p, a
copysign.f32/.f64                               d, a, b
add/sub/mul{.RND}{.ftz}{.sat}.f32               d, a, b
add/sub/mul{.RND}.f64                           d, a, b
fma/mad.RND{.ftz}{.sat}.f32                     d, a, b, c
fma/mad.RND.f64                                 d, a, b, c
div.approx/.full/.RND{.ftz}.f32                 d, a, b
div.RND.f64                                     d, a, b
abs/neg{.ftz}.f32                               d, a
abs/neg.f64                                     d, a
min/max{.ftz}{.NaN}{.xorsign.abs}.f32           d, a, b
min/max{.ftz}{.NaN}{.abs}.f32                   d, a, b, c
min/max.f64                                     d, a, b
rcp/sqrt.approx/.RND{.ftz}.f32                  d, a
rcp/sqrt.RND.f64                                d, a
rcp.approx.ftz.f64                              d, a
rsqrt.approx{.ftz}.f32/.f64                     d, a
sin/cos/lg2/ex2.approx{.ftz}.f32                d, a
tanh.approx.f32                                 d, a

# Half precision
add/sub/mul{.rn}{.ftz}{.sat}.f16/.f16x2         d, a, b
add/sub/mul{.rn}.bf16/.bf16x2                   d, a, b
fma.rn{.ftz}{.sat}.f16/.f16x2                   d, a, b, c
fma.rn{.ftz}.relu.f16/.f16x2                    d, a, b, c
fma.rn{.relu}.bf16/.bf16x2                      d, a, b, c
abs/neg{.ftz}.f16/.f16x2                        d, a
abs/neg.bf16/.bf16x2                            d, a
min/max{.ftz}{.NaN}{.xorsign.abs}.f16/.f16x2    d, a, b
min/max{.NaN}{.xorsign.abs}.bf16/.bf16x2        d, a, b
tanh.approx.f16/.f16x2/.bf16/.bf16x2            d, a
ex2.approx.f16/.f16x2                           d, a
ex2.approx.ftz.bf16/.bf16x2                     d, a

# Mixed precision
add/sub{.RND}{.sat}.f32.f16/.bf16               d, a, c
fma.RND{.sat}.f32.f16/.bf16                     d, a, b, c

# Comparison and selection
.ORDER = .eq .ne .lt .le .gt .ge
.FLOAT = .eq .ne .lt .le .gt .ge .equ .neu .ltu .leu .gtu .geu .num .nan
.BOOL = .and .or .xor
.SET = .u32 .s32 .f32 .f16 .bf16
setp.eq/.ne.b16/.b32/.b64                       p{|q}, a, b
setp.eq/.ne.BOOL.b16/.b32/.b64                  p{|q}, a, b, !P
setp.ORDER.s16/.s32/.s64                        p{|q}, a, b
setp.ORDER.BOOL.s16/.s32/.s64                   p{|q}, a, b, !P
setp.ORDER/.lo/.ls/.hi/.hs.u16/.u32/.u64        p{|q}, a, b
setp.ORDER/.lo/.ls/.hi/.hs.BOOL.u16/.u32/.u64   p{|q}, a, b, !P
setp.FLOAT{.ftz}.f32                            p{|q}, a, b
setp.FLOAT.BOOL{.ftz}.f32                       p{|q}, a, b, !P
setp.FLOAT.f64                                  p{|q}, a, b
setp.FLOAT.BOOL.f64                             p{|q}, a, b, !P
setp.FLOAT{.ftz}.f16                            p, a, b
setp.FLOAT.BOOL{.ftz}.f16                       p, a, b, !P
setp.FLOAT.bf16                                 p, a, b
setp.FLOAT.BOOL.bf16                            p, a, b, !P
setp.FLOAT{.ftz}.f16x2                          p|q, a, b
setp.FLOAT.BOOL{.ftz}.f16x2                     p|q, a, b, !P
setp.FLOAT.bf16x2                               p|q, a, b
setp.FLOAT.BOOL.bf16x2                          p|q, a, b, !P
set.eq/.ne.SET.b16/.b32/.b64                    d, a, b
set.eq/.ne.BOOL.SET.b16/.b32/.b64               d, a, b, !P
set.ORDER.SET.s16/.s32/.s64                     d, a, b
set.ORDER.BOOL.SET.s16/.s32/.s64                d, a, b, !P
set.ORDER/.lo/.ls/.hi/.hs.SET.u16/.u32/.u64     d, a, b
set.ORDER/.lo/.ls/.hi/.hs.BOOL.SET.u16/.u32/.u64  d, a, b, !P
set.FLOAT{.ftz}.u32/.s32/.f32/.f16.f32          d, a, b
set.FLOAT.BOOL{.ftz}.u32/.s32/.f32/.f16.f32     d, a, b, !P
set.FLOAT.bf16.f32                              d, a, b
set.FLOAT.BOOL.bf16.f32                         d, a, b, !P
set.FLOAT.SET.f64                               d, a, b
set.FLOAT.BOOL.SET.f64                          d, a, b, !P
set.FLOAT{.ftz}.u16/.s16/.u32/.s32/.f16.f16     d, a, b
set.FLOAT.BOOL{.ftz}.u16/.s16/.u32/.s32/.f16.f16  d, a, b, !P
set.FLOAT.u16/.s16/.u32/.s32/.bf16.bf16         d, a, b
set.FLOAT.BOOL.u16/.s16/.u32/.s32/.bf16.bf16    d, a, b, !P
set.FLOAT{.ftz}.f16x2.f16x2                     d, a, b
set.FLOAT.BOOL{.ftz}.f16x2.f16x2                d, a, b, !P
set.FLOAT.bf16x2.bf16x2                         d, a, b
set.FLOAT.BOOL.bf16x2.bf16x2                    d, a, b, !P
.WIDE = .b16 .b32 .b64 .u16 .u32 .u64 .s16 .s32 .s64 .f32 .f64
selp.WIDE                                       d, a, b, !P
slct.WIDE.s32                                   d, a, b, c
slct{.ftz}.WIDE.f32                             d, a, b, c

# Logic and shifts
and/or/xor.pred                                 p, !P, !P
not.pred                                        p, !P
and/or/xor.b16/.b32/.b64                        d, a, b
not/cnot.b16/.b32/.b64                          d, a
lop3.b32                                        d, a, b, c, n
lop3.and/.or.b32                                d|p, a, b, c, n, !P
shf.l/.r.clamp/.wrap.b32                        d, a, b, c
shl.b16/.b32/.b64                               d, a, b
shr.b16/.b32/.b64/.INT                          d, a, b

# Data movement and conversion
mov.pred                                        p, !P
mov.WIDE                                        d, a
mov.b32/.b64                                    d, <a>
mov.b32/.b64                                    <d>, a
mov.v2/.v4.b8/.b16/.b32/.u8/.u16/.u32/.s8/.s16/.s32/.f32  D, A
mov.v2.b64/.u64/.s64/.f64                       D, A
prmt.b32{.f4e/.b4e/.rc8/.ecl/.ecr/.rc16}        d, a, b, c
.ANY = .u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64
.TOINT = .rni .rzi .rmi .rpi
cvt.u8.u8                                       d, a
cvt{.sat}.u8.s8/.u16/.s16/.u32/.s32/.u64/.s64   d, a
cvt.s8.s8                                       d, a
cvt{.sat}.s8.u8/.u16/.s16/.u32/.s32/.u64/.s64   d, a
cvt.u16.u8/.u16                                 d, a
cvt{.sat}.u16.s8/.s16/.u32/.s32/.u64/.s64       d, a
cvt.s16.u8/.s8/.s16                             d, a
cvt{.sat}.s16.u16/.u32/.s32/.u64/.s64           d, a
cvt.u32.u8/.u16/.u32                            d, a
cvt{.sat}.u32.s8/.s16/.s32/.u64/.s64            d, a
cvt.s32.u8/.s8/.u16/.s16/.s32                   d, a
cvt{.sat}.s32.u32/.u64/.s64                     d, a
cvt.u64.u8/.u16/.u32/.u64                       d, a
cvt{.sat}.u64.s8/.s16/.s32/.s64                 d, a
cvt.s64.u8/.s8/.u16/.s16/.u32/.s32/.s64         d, a
cvt{.sat}.s64.u64                               d, a
cvt.TOINT{.sat}.ANY.f16/.f64                    d, a
cvt.TOINT{.ftz}{.sat}.ANY.f32                   d, a
cvt.TOINT.INT.bf16                              d, a
cvt.RND{.sat}.f16/.f64.ANY                      d, a
cvt.RND{.ftz}{.sat}.f32.ANY                     d, a
cvt.RND.bf16.INT                                d, a
cvt{.TOINT}{.sat}.f16.f16                       d, a
cvt{.TOINT}{.sat}.f64.f64                       d, a
cvt{.TOINT}.bf16.bf16                           d, a
cvt{.TOINT}{.ftz}{.sat}.f32.f32                 d, a
cvt.RND{.sat}.f16.f64                           d, a
cvt{.sat}.f64.f16                               d, a
cvt{.RND}.f64.bf16                              d, a
cvt.RND.f16.bf16                                d, a
cvt.RND.bf16.f16/.f64                           d, a
cvt.RND{.ftz}{.sat}.f16.f32                     d, a
cvt.RND{.ftz}.bf16.f32                          d, a
cvt.rn/.rz{.relu}{.satfinite}.f16/.bf16.f32     d, a
cvt.RND{.ftz}{.sat}.f32.f64                     d, a
cvt{.ftz}{.sat}.f32.f16                         d, a
cvt{.ftz}{.sat}.f64.f32                         d, a
cvt{.RND}{.ftz}.f32.bf16                        d, a
cvt.rn/.rz{.relu}{.satfinite}.f16x2/.bf16x2.f32  d, a, b
.WINDOW = .global .local .param .param::entry .shared .shared::cta .shared::cluster
cvta{.to}.const/.WINDOW.u64                     d, a
isspacep.WINDOW                                 p, a

# Memory
.TYPE = .b8 .b16 .b32 .b64 .u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64 .f32 .f64
.SPACE = .const .global .local .param .param::entry .param::func .shared .shared::cta .shared::cluster
.TO = .global .local .param .param::func .shared .shared::cta .shared::cluster
.SHARED = .shared .shared::cta .shared::cluster
.CACHE = .ca .cg .cs .lu .cv
.BACK = .wb .cg .cs .wt
.SCOPE = .cta .cluster .gpu .sys
.KEEP = .L1::evict_normal .L1::evict_unchanged .L1::evict_first .L1::evict_last .L1::no_allocate
.AHEAD = .L2::64B .L2::128B .L2::256B
.SEM = .relaxed .acquire .release .acq_rel
.ATOM = .global .shared .shared::cta .shared::cluster
ld{.weak}{.SPACE}{.CACHE}{.v2/.v4}.TYPE         D, [a]
ld{.weak}{.global}{.CACHE/.KEEP}{.AHEAD}{.v2/.v4}.TYPE  D, [a]
ld.volatile{.SHARED}{.v2/.v4}.TYPE              D, [a]
ld.volatile{.global}{.AHEAD}{.v2/.v4}.TYPE      D, [a]
ld.relaxed/.acquire.SCOPE{.SHARED}{.v2/.v4}.TYPE  D, [a]
ld.relaxed/.acquire.SCOPE{.global}{.KEEP}{.AHEAD}{.v2/.v4}.TYPE  D, [a]
ld.mmio.relaxed.sys{.global}.TYPE               D, [a]
ld.global{.ca/.cg/.cs}.nc{.AHEAD}{.v2/.v4}.TYPE  D, [a]
ld.global.nc.KEEP{.AHEAD}{.v2/.v4}.TYPE         D, [a]
ld.global{.nc}{.KEEP}{.AHEAD}.v8.b32/.u32/.s32/.f32  D, [a]
ldu{.global}{.v2/.v4}.TYPE                      D, [a]
st{.weak}{.TO}{.BACK}{.v2/.v4}.TYPE             [a], A
st{.weak}{.global}{.BACK/.KEEP}{.v2/.v4}.TYPE   [a], A
st.volatile{.global/.SHARED}{.v2/.v4}.TYPE      [a], A
st.relaxed/.release.SCOPE{.SHARED}{.v2/.v4}.TYPE  [a], A
st.relaxed/.release.SCOPE{.global}{.KEEP}{.v2/.v4}.TYPE  [a], A
st.mmio.relaxed.sys{.global}.TYPE               [a], A
st.global{.KEEP}.v8.b32/.u32/.s32/.f32          [a], A
atom{.SEM}{.SCOPE}{.ATOM}.and/.or/.xor/.exch.b32/.b64  d, [a], b
atom{.SEM}{.SCOPE}{.ATOM}.cas.b16/.b32/.b64     d, [a], b, c
atom{.SEM}{.SCOPE}{.ATOM}.add.u32/.s32/.u64/.f32/.f64  d, [a], b
atom{.SEM}{.SCOPE}{.ATOM}.inc/.dec.u32          d, [a], b
atom{.SEM}{.SCOPE}{.ATOM}.min/.max.u32/.s32/.u64/.s64  d, [a], b
atom{.SEM}{.SCOPE}{.ATOM}.add.noftz.f16/.f16x2/.bf16/.bf16x2  d, [a], b
red{.relaxed/.release}{.SCOPE}{.ATOM}.and/.or/.xor.b32/.b64  [a], b
red{.relaxed/.release}{.SCOPE}{.ATOM}.add.u32/.s32/.u64/.f32/.f64  [a], b
red{.relaxed/.release}{.SCOPE}{.ATOM}.inc/.dec.u32  [a], b
red{.relaxed/.release}{.SCOPE}{.ATOM}.min/.max.u32/.s32/.u64/.s64  [a], b
red{.relaxed/.release}{.SCOPE}{.ATOM}.add.noftz.f16/.f16x2/.bf16/.bf16x2  [a], b
cp.async.ca/.cg.shared/.shared::cta.global{.AHEAD}  [a], [a], n{, b}
cp.async.ca/.cg.shared/.shared::cta.global{.AHEAD}  [a], [a], n, !P
cp.async.commit_group/.wait_all
cp.async.wait_group                             n
prefetch{.global/.local}.L1/.L2                 [a]
prefetch.global.L2::evict_last/.L2::evict_normal  [a]
prefetchu.L1                                    [a]
applypriority{.global}.L2::evict_normal         [a], n
membar.cta/.gl/.sys
fence{.sc/.acq_rel/.acquire/.release}.SCOPE

# Control flow and what else has no result
bra{.uni}                                       L
brx.idx{.uni}                                   a, T
call{.uni}                                      ...
ret{.uni}
exit
trap
nanosleep.u32                                   a
pmevent{.mask}                                  n
griddepcontrol.launch_dependents/.wait

# Barriers, and what threads of a warp do together
bar{.cta}.sync                                  a{, b}
bar{.cta}.arrive                                a, b
bar{.cta}.red.popc.u32                          d, a{, b}, !P
bar{.cta}.red.and/.or.pred                      p, a{, b}, !P
barrier{.cta}.sync{.aligned}                    a{, b}
barrier{.cta}.arrive{.aligned}                  a, b
barrier{.cta}.red.popc{.aligned}.u32            d, a{, b}, !P
barrier{.cta}.red.and/.or{.aligned}.pred        p, a{, b}, !P
bar.warp.sync                                   a
shfl.sync.up/.down/.bfly/.idx.b32               d{|p}, a, b, c, e
shfl.up/.down/.bfly/.idx.b32                    d{|p}, a, b, c
vote.sync.all/.any/.uni.pred                    p, !P, a
vote.sync.ballot.b32                            d, !P, a
vote.all/.any/.uni.pred                         p, !P
vote.ballot.b32                                 d, !P
match.any.sync.b32/.b64                         d, a, b
match.all.sync.b32/.b64                         d{|p}, a, b
redux.sync.add/.min/.max.u32/.s32               d, a, b
redux.sync.and/.or/.xor.b32                     d, a, b
elect.sync                                      d|p, a
activemask.b32                                  d

# Video, side by side: what devices give of one part alone is not what the manual says
.V = .u32 .s32
vadd2/vsub2/vavrg2/vabsdiff2/vmin2/vmax2.V.V.V{.sat/.add}  d.mask, a.sel, b.sel, c
vset2.V.V.ORDER{.add}                           d.mask, a.sel, b.sel, c
vadd4/vsub4/vavrg4/vabsdiff4/vmin4/vmax4.V.V.V{.sat/.add}  d.mask, a.sel, b.sel, c
vset4.V.V.ORDER{.add}                           d.mask, a.sel, b.sel, c
";
