"""Configurations that several tests read."""

MQC = """\
class-map match-any VOICE
 match dscp ef
policy-map P
 class VOICE
  priority percent 10
 class class-default
  bandwidth percent 50
""" + "".join(f"interface Gi0/{n}\n speed 100\n service-policy output P\n" for n in range(5))
JUNOS = (
    """\
class-of-service {
  forwarding-classes { queue 0 BE; queue 3 NC; }
  scheduler-maps { M { forwarding-class BE scheduler be; forwarding-class NC scheduler nc; } }
  schedulers { be { transmit-rate percent 50; } nc { transmit-rate percent 5; } }
  interfaces {
"""
    + "".join(f"    ge-0/0/{n} {{ scheduler-map M; }}\n" for n in range(5))
    + "  }\n}\n"
)
TC = """\
tc qdisc add dev eth0 root handle 1: htb default 30
tc class add dev eth0 parent 1: classid 1:20 htb rate 30mbit ceil 50mbit
tc class add dev eth0 parent 1: classid 1:30 htb rate 20mbit ceil 50mbit
tc qdisc add dev eth1 root tbf rate 10mbit burst 15k limit 100k
"""
SHOWN = '[{"kind":"pfifo","handle":"1:","dev":"eth0","root":true,"options":{"limit":9}}]\n' * 3
SONIC = """\
{"PORT": {"Ethernet0": {"speed": "100000"}, "Ethernet4": {"speed": "100000"}},
 "SCHEDULER": {"s": {"type": "DWRR", "weight": "20"}},
 "QUEUE": {"Ethernet0|0-1": {"scheduler": "s"},
           "Ethernet4|0-1": {"scheduler": "s"}}}
"""
EOS = "".join(
    f"interface Ethernet{n}\n speed 10g\n tx-queue 1\n  bandwidth percent 30\n" for n in range(4)
)
SROS = """\
qos
    sap-egress 20 create
        queue 1 create
            rate 50000 cir 10000
        exit
        queue 6 expedite create
            rate max cir 5000
        exit
        fc ef create
            queue 6
        exit
    exit
exit
""" + "".join(f"service epipe {n} create sap 1/1/{n}:1 create egress qos 20\n" for n in range(1, 4))
SQM = "".join(
    f"config queue\n option enabled 1\n option interface eth{n}\n option upload 10000\n"
    " option download 0\n option script simplest.qos\n"
    for n in range(3)
)
TEXTS = {
    "ios-xe": MQC,
    "ios": MQC,
    "ios-xr": MQC,
    "nxos": MQC,
    "eos": EOS,
    "junos": JUNOS,
    "tc": TC,
    "tc -j": SHOWN,
    "sonic": SONIC,
    "sros": SROS,
    "sqm": SQM,
}
FOUR_CLASSES = """
class-of-service {
    classifiers {
        dscp edge {
            import default;
            forwarding-class voice { loss-priority low code-points ef; }
            forwarding-class video {
                loss-priority low code-points [ af41 cs4 ];
                loss-priority high code-points [ 100100 af43 ];
            }
        }
        ieee-802.1 tags { forwarding-class voice { loss-priority low code-points 101; } }
    }
    forwarding-classes {
        class data queue-num 0;
        class voice queue-num 1;
        class video queue-num 2;
        class control queue-num 3;
    }
    interfaces {
        xe-0/0/1 { scheduler-map wan; unit 0 { classifiers { dscp edge; ieee-802.1 tags; } } }
    }
    scheduler-maps {
        wan {
            forwarding-class voice scheduler s-voice;
            forwarding-class video scheduler s-video;
            forwarding-class control scheduler s-control;
            forwarding-class data scheduler s-data;
        }
    }
    schedulers {
        s-voice { shaping-rate percent 20; buffer-size temporal 5k; priority strict-high; }
        s-video { transmit-rate percent 30; buffer-size percent 25; priority medium-high; }
        s-control { transmit-rate 200m; buffer-size percent 5; priority high; }
        s-data { transmit-rate { remainder; } buffer-size { remainder; } }
    }
}
"""
ROCE = """\
! device: leaf1 (DCS-7060CX, EOS-4.28.1F)
qos map dscp 26 to traffic-class 3
qos map cos 4 5 to traffic-class 3
qos map traffic-class 6 to tx-queue 7
!
qos profile ROCE
   qos trust dscp
   priority-flow-control on
   !
   uc-tx-queue 3
      no priority
      bandwidth percent 60
      random-detect ecn minimum-threshold 150 kbytes MORE
      random-detect ecn count
   !
   uc-tx-queue 1
      bandwidth percent 40
!
interface Ethernet1/1
   description HIDDEN
   speed forced 100gfull
   service-profile ROCE
interface Ethernet1/2
   speed 10g
""".replace("MORE", "maximum-threshold 1500 kbytes max-mark-probability 20 weight 0")
XR_CORE = """\
class-map match-any VOICE
 match dscp ipv4 ef
 match mpls experimental topmost 5
 end-class-map
!
class-map match-any VIDEO
 match dscp af41
 end-class-map
!
class-map match-any DATA
 match dscp af21,cs2
 end-class-map
!
policy-map CORE
 class VOICE
  priority level 1
  police rate 100 mbps burst 125 kbytes
   conform-action transmit
   exceed-action drop
  !
 !
 class VIDEO
  priority level 2
  police rate percent 20
  !
 !
 class DATA
  bandwidth remaining percent 60
  random-detect 20 ms 80 ms
 !
 class class-default
  bandwidth remaining percent 40
 !
 end-policy-map
!
interface TenGigE0/0/0/0
 service-policy output CORE
!
end
"""
NX_FABRIC = """\
class-map type qos match-all STORAGE
  match dscp 24
class-map type qos match-any BULK
  match dscp 8-10
policy-map type qos MARK
  class STORAGE
    set qos-group 3
  class BULK
    set qos-group 1
policy-map type queuing FABRIC
  class type queuing c-out-8q-q3
    bandwidth remaining percent 50
    random-detect minimum-threshold 150 kbytes maximum-threshold 300 kbytes WEIGHTED
  class type queuing c-out-8q-q1
    bandwidth remaining percent 20
    queue-limit 200 kbytes
  class type queuing c-out-8q-q7
    priority level 1
  class type queuing c-out-8q-q-default
    bandwidth remaining percent 30
system qos
  service-policy type qos input MARK
interface Ethernet1/1
  speed 25000
  service-policy type queuing output FABRIC
""".replace("WEIGHTED", "drop-probability 100 weight 0 ecn")
