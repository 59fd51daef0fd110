#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""SNAP1 workloads W1..W7 for measuring a round. usage: snap1.py WORKLOAD SIZE [out]; sizes T=10 nodes, S=1000, M=10000, XL=100000.
Prints the counts of lines and the sha256 of the file, so that two generators can be compared."""
import sys, hashlib
M64=(1<<64)-1
class Rng:                                   # SplitMix64
    def __init__(s,seed,stream): s.s=(seed ^ (stream*0xD1342543DE82EF95)) & M64
    def next(s):
        s.s=(s.s+0x9E3779B97F4A7C15)&M64; z=s.s
        z=((z^(z>>30))*0xBF58476D1CE4E5B9)&M64; z=((z^(z>>27))*0x94D049BB133111EB)&M64
        return z^(z>>31)
    def below(s,n): return ((s.next()>>32)*n)>>32        # n < 2^32, no rejection
GI=1<<30; MI=1<<20
T0=1_600_000_000_000_000_000; R0=1_650_000_000_000_000_000
class Out:
    def __init__(s,f): s.f=f; s.h=hashlib.sha256(); s.c={}; s.nj=0; s.nr=0
    def w(s,l):
        s.h.update(l.encode()+b'\n'); s.c[l[0]]=s.c.get(l[0],0)+1
        if s.f: s.f.write(l+'\n')
    # N idx id executor cpu_milli mem_bytes gpu labels taints
    def node(s,i,c=32,m=256,g=0,lab='-',tnt='-'): s.w(f'N {i} n{i:07d} e{i//1000:03d} {c*1000} {m*GI} {g} {lab} {tnt}')
    # Q name priorityFactor
    def queue(s,q,pf=1): s.w(f'Q q{q:04d} {pf}')
    # J id queue pc prio submit_ns cpu_milli mem_bytes gpu selector tolerations affinity gang card uniformity
    # R jobid nodeIdx run_created_ns scheduled_at_prio   (follows its J line; absent => queued)
    def job(s,q,c,m,g=0,pc='std',sel='-',tol='-',aff='-',gang='-',card=1,uni='-',node=None,prio=1000,mem_bytes=None,pcprio=1000):
        j=s.nj; s.nj+=1
        s.w(f'J j{j:09d} q{q:04d} {pc} {prio} {T0+1000*j} {c*1000} {m*GI if mem_bytes is None else mem_bytes} {g} {sel} {tol} {aff} {gang} {card} {uni}')
        if node is not None:
            s.w(f'R j{j:09d} {node} {R0+1000*s.nr} {pcprio}'); s.nr+=1
SZ={'S':1000,'M':10000,'XL':100000,'T':10}
SHAPES=[(50,1,4),(70,2,8),(82,4,16),(90,8,32),(95,16,64),(98,1,16),(99,32,256),(100,8,128)]
def shape(r):
    x=r.below(100)
    for hi,c,m in SHAPES:
        if x<hi: return c,m
def W1(o,N):
    Q=max(1,N//100); r=Rng(1,1)
    for i in range(N): o.node(i)
    for q in range(Q): o.queue(q,1+q%4)
    for j in range(10*N):
        c,m=shape(r); o.job(j%Q,c,m)
def W2(o,N):
    Q=max(1,N//100)
    for i in range(N): o.node(i)
    for q in range(Q): o.queue(q)
    for r in range(32*N): o.job(r%Q,1,4,node=r//32)
    for j in range(10*N): o.job(j%Q,1,4)
def W3a(o,N):
    for i in range(N): o.node(i)
    for q in range(100): o.queue(q)
    for r in range(32*N): o.job(r%10,1,4,node=r//32)
    per=32*N//100
    for k in range(per+per//10):
        for q in range(10,100): o.job(q,1,4)
def W3b(o,N):
    for i in range(N): o.node(i)
    for q in range(20): o.queue(q)
    for r in range(32*N): o.job((r//N)%10,1,4,node=r%N)
    for k in range(max(1,N//50)):
        for q in range(10,20): o.job(q,32,200)
def W4(o,N):
    for i in range(N): o.node(i)
    for q in range(20): o.queue(q)
    for r in range(32*N): o.job(r%20,1,4,pc='low',node=r//32,pcprio=500)
    for j in range(N): o.job(j%20,4,16,pc='urgent')
def W5(o,N,uni):
    for i in range(N): o.node(i,lab=f'rack=r{i//50:04d}')
    for q in range(30): o.queue(q)
    for i in range(N): o.job(20+i%10,16,128,pc='std-np',node=i)
    cards=[2,4,8,16,32,64]
    for g in range(N//5):
        c=cards[g%6]
        for _ in range(c): o.job(g%20,4,32,gang=f'g{g:06d}',card=c,uni='rack' if (uni and g%2==1) else '-')
def W6(o,N):
    Q=max(1,N//50); r=Rng(6,1)
    hw=['a','b','c','d']; spec={'a':(32,256,0),'b':(64,512,0),'c':(96,384,0),'d':(64,1024,8)}
    for i in range(N):
        h=hw[(i//8)%4]; t=[]
        if h=='d': t.append('gpu=true:NoSchedule')
        if (i//32)%2==1: t.append('team=blue:NoSchedule')
        o.node(i,*spec[h],lab=f'feat=f{i%97},hw={h},zone=z{i%8}',tnt=','.join(t) or '-')
    for q in range(Q): o.queue(q,1+q%4)
    for j in range(10*N):
        k=r.below(10); q=j%Q
        if k<4: o.job(q,2,8)
        elif k==4: o.job(q,2,8,sel=f'zone=z{r.below(8)}')
        elif k==5:
            z=r.below(8); h=hw[r.below(3)]; o.job(q,4,16,sel=f'hw={h},zone=z{z}')
        elif k==6: o.job(q,8,64,g=1,tol='gpu=true:NoSchedule')
        elif k==7: o.job(q,8,32,sel='hw=c',tol='team=blue:NoSchedule')
        elif k==8:
            f=r.below(97); o.job(q,2,8,aff=f'feat:In:f{f}|f{(f+31)%97}|f{(f+62)%97}')
        else:
            z=r.below(8); o.job(q,4,8,tol='gpu=true:NoSchedule',aff=f'zone:NotIn:z{z}|z{(z+1)%8}')
def W7(o,N,distinct):
    Q=max(1,N//10)
    for i in range(N): o.node(i)
    for q in range(Q): o.queue(q)
    for i in range(N): o.job(i%10 % Q,30,240,pc='std-np',node=i)
    for j in range(100*N):
        q=j%Q
        if (j//Q)%10==9: o.job(q,1,4)
        elif distinct: o.job(q,2,0,mem_bytes=17*GI+j*MI)
        else: o.job(q,4,16)
G={'W1':W1,'W2':W2,'W3a':W3a,'W3b':W3b,'W4':W4,'W5a':lambda o,n:W5(o,n,False),'W5b':lambda o,n:W5(o,n,True),'W6':W6,'W7a':lambda o,n:W7(o,n,False),'W7b':lambda o,n:W7(o,n,True)}
if __name__=='__main__':
    w,sz=sys.argv[1:3]; f=open(sys.argv[3],'w') if len(sys.argv)>3 else None
    o=Out(f); G[w](o,SZ[sz]); print(w,sz,o.c,o.h.hexdigest())
