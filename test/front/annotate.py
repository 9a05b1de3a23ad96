import subprocess,sys,re,shlex
N='/work/wt/sem/build/debug/neso'
for f in sys.argv[1:]:
    s=re.sub(r'  # (error|warning): .*','',open(f).read())
    s='\n'.join(l for l in s.split('\n'))
    open(f,'w').write(s)
    opts=re.search(r'^# options: (.*)$',s,re.M).group(1)
    p=subprocess.run([N,'compile',f+':kernel','--emit','ttir']+shlex.split(opts),capture_output=True,text=True)
    L=s.split('\n')
    for l in p.stderr.split('\n'):
        m=re.match(r'(.*?):(\d+):(\d+): (error|warning): (.*)',l)
        if m:
            if m[1]!=f: print("OTHER",l); continue
            L[int(m[2])-1]+=f'  # {m[4]}: {m[3]}: {m[5]}'
    open(f,'w').write('\n'.join(L))
