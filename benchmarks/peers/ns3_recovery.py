"""Recoveries for ns-3, in C++: each is that of its release 3.44 without one fault more.

Its later source has both mends (its issues 1350 and 1282).
"""

__all__ = ["SOURCE"]

#: With selective acknowledgements the release adds a segment for each duplicate ACK to what that
#: ACK itself reports as delivered; `CountedOnce` does not. It multiplies delivered bytes and
#: threshold in 32 bits, which 21 packets at a threshold of 100 are too many for, and subtracts
#: what was sent without a sign; `Whole` does both in 64 bits.
SOURCE = """
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include <algorithm>
namespace bench {
using namespace ns3;

template <class Recovery>
class Registered : public TcpPrrRecovery {
  public:
    static TypeId GetTypeId() {
        static TypeId id =
            TypeId(Recovery::NAME).SetParent<TcpPrrRecovery>().template AddConstructor<Recovery>();
        return id;
    }
    Ptr<TcpRecoveryOps> Fork() override {
        return CopyObject<Recovery>(static_cast<Recovery*>(this));
    }
};

class CountedOnce : public Registered<CountedOnce> {
  public:
    static constexpr const char* NAME = "bench::CountedOnce";
    void DoRecovery(Ptr<TcpSocketState> state, uint32_t delivered, bool) override {
        TcpPrrRecovery::DoRecovery(state, delivered, false);
    }
};

class Whole : public Registered<Whole> {
  public:
    static constexpr const char* NAME = "bench::Whole";
    void EnterRecovery(Ptr<TcpSocketState> state, uint32_t, uint32_t, uint32_t delivered) override {
        m_delivered = m_out = 0;
        m_before = state->m_bytesInFlight;
        DoRecovery(state, delivered, false);
    }
    void DoRecovery(Ptr<TcpSocketState> state, uint32_t delivered, bool) override {
        if (delivered == 0) return;
        m_delivered += delivered;
        const int64_t flight = state->m_bytesInFlight, threshold = state->m_ssThresh;
        int64_t count = 0;
        if (flight > threshold) {
            count = (m_delivered * threshold + m_before - 1) / m_before - m_out;
        } else {
            const int64_t extra = state->m_isRetransDataAcked ? state->m_segmentSize : 0;
            const int64_t limit = std::max<int64_t>(m_delivered - m_out, delivered) + extra;
            count = std::min(limit, threshold - flight);
        }
        count = std::max<int64_t>(count, m_out > 0 ? 0 : state->m_segmentSize);
        state->m_cWnd = flight + count;
        state->m_cWndInfl = state->m_cWnd;
    }
    void UpdateBytesSent(uint32_t bytes) override { m_out += bytes; }

  private:
    int64_t m_delivered{0}, m_out{0}, m_before{0};
};

void Register() {
    CountedOnce::GetTypeId();
    Whole::GetTypeId();
}
}
"""
