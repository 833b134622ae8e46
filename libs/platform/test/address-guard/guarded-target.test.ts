import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { addressRefusal } from "../../src/address-guard/address-refusal.ts";
import { guardedTarget } from "../../src/address-guard/guarded-target.ts";

const RULES = { ports: [80, 443], hosts: null };

const refusalOf = (url: string) => {
  try {
    guardedTarget(url, RULES);
    return null;
  } catch (error) {
    return error as { code: string; message: string };
  }
};

describe("a target that must not be dialled", () => {
  it.each([
    // loopback and unspecified
    ["http://127.0.0.1/", "loopback"],
    ["http://127.8.9.1/", "loopback"],
    ["http://127.0.0.1./", "loopback|spelling"],
    ["http://[::1]/", "loopback"],
    ["http://[0:0:0:0:0:0:0:1]/", "loopback"],
    ["http://0.0.0.0/", "unspecified"],
    ["http://[::]/", "unspecified"],
    // private and link-local
    ["http://10.1.2.3/", "private"],
    ["http://172.16.0.1/", "private"],
    ["http://172.31.255.255/", "private"],
    ["http://192.168.1.1/", "private"],
    ["http://169.254.1.1/", "linkLocal"],
    ["http://[fe80::1]/", "linkLocal"],
    ["http://[fc00::1]/", "uniqueLocal"],
    ["http://[fec0::1]/", "SiteLocal"],
    // metadata services
    ["http://169.254.169.254/latest/meta-data/", "linkLocal"],
    ["http://[fd00:ec2::254]/", "uniqueLocal"],
    ["http://100.100.100.200/", "carrierGradeNat"],
    ["http://168.63.129.16/", "metadata"],
    ["http://192.0.0.192/", "reserved"],
    ["http://metadata.google.internal/", "inner network"],
    // carrier-grade NAT, multicast, reserved
    ["http://100.64.0.1/", "carrierGradeNat"],
    ["http://224.0.0.1/", "multicast"],
    ["http://[ff02::1]/", "multicast"],
    ["http://240.0.0.1/", "reserved"],
    ["http://255.255.255.255/", "broadcast"],
    ["http://198.18.0.1/", "reserved"],
    ["http://192.0.2.7/", "reserved"],
    ["http://[2001:db8::1]/", "reserved"],
    ["http://[5f00::1]/", "not public"],
    // IPv4 inside IPv6
    ["http://[::ffff:127.0.0.1]/", "ipv4Mapped"],
    ["http://[::ffff:7f00:1]/", "ipv4Mapped"],
    ["http://[::ffff:8.8.8.8]/", "ipv4Mapped"],
    ["http://[::127.0.0.1]/", "not public"],
    ["http://[64:ff9b::7f00:1]/", "rfc6052"],
    ["http://[64:ff9b:1::7f00:1]/", "not public"],
    ["http://[2002:7f00:1::]/", "6to4"],
    ["http://[2001::1]/", "teredo"],
    // other spellings of IPv4, also of public ones
    ["http://2130706433/", "spelling"],
    ["http://0x7f000001/", "spelling"],
    ["http://0x7f.1/", "spelling"],
    ["http://0177.0.0.1/", "spelling"],
    ["http://127.1/", "spelling"],
    ["http://127.0.1/", "spelling"],
    ["http://134744072/", "spelling"],
    ["http://8.8.2056/", "spelling"],
    ["http://010.8.8.8/", "spelling"],
    ["http://１２７.０.０.１/", "spelling"],
    ["http://127。0。0。1/", "spelling"],
    ["http:\\\\2130706433\\", "spelling"],
    ["  http://2130706433/", "spelling"],
    // names
    ["http://localhost/", "inner network"],
    ["http://LOCALHOST./", "inner network"],
    ["http://api.localhost/", "inner network"],
    ["http://printer.local/", "inner network"],
    ["http://db.internal/", "inner network"],
    ["http://router.home.arpa/", "inner network"],
    // what is not an address
    ["http://user:secret@example.com/", "credentials"],
    ["http://user@example.com/", "credentials"],
    ["http://example.com:22/", "port 22"],
    ["https://example.com:8443/", "port 8443"],
    ["ftp://example.com/", "neither http nor https"],
    ["file:///etc/passwd", "neither http nor https"],
    ["javascript:alert(1)", "neither http nor https"],
    ["example.com/page", "not a URL"],
    ["", "not a URL"],
  ])("%s is refused: %s", (url, reason) => {
    const refusal = refusalOf(url);
    expect(refusal?.code).toBe("address_refused");
    expect(refusal?.message).toMatch(new RegExp(reason));
    expect(refusal?.message).not.toContain("secret");
  });
});

describe("a target that may be dialled", () => {
  it.each([
    "http://example.com/",
    "https://example.com/a?b=c#d",
    "https://example.com:443/",
    "http://8.8.8.8/",
    "https://[2606:4700::1111]/",
    "https://bücher.example/",
    "https://localhost.example.com/",
    "https://internal-news.example.com/",
  ])("%s", (url) => {
    expect(refusalOf(url)).toBeNull();
  });

  it("is among the named hosts, exactly or below a wildcard", () => {
    const rules = { ports: [80, 443], hosts: ["docs.example.com", "*.Example.org"] };
    expect(guardedTarget("https://docs.example.com/x", rules).hostname).toBe("docs.example.com");
    expect(guardedTarget("https://a.b.example.org/", rules).hostname).toBe("a.b.example.org");
    for (const host of ["example.com", "evil-docs.example.com", "example.org", "badexample.org", "8.8.8.8"])
      expect(() => guardedTarget(`https://${host}/`, rules)).toThrow("allowed hosts (docs.example.com, *.Example.org)");
  });
});

describe("an address", () => {
  it("of the private ranges is refused in every IPv6 wrapping", () => {
    const inner = fc.oneof(
      fc.tuple(fc.constant(10), fc.nat(255), fc.nat(255), fc.nat(255)),
      fc.tuple(fc.constant(127), fc.nat(255), fc.nat(255), fc.nat(255)),
      fc.tuple(fc.constant(192), fc.constant(168), fc.nat(255), fc.nat(255)),
      fc.tuple(fc.constant(169), fc.constant(254), fc.nat(255), fc.nat(255)),
    );
    fc.assert(
      fc.property(inner, (bytes) => {
        const dotted = bytes.join(".");
        const forms = [dotted, `::ffff:${dotted}`, `::${dotted}`, `64:ff9b::${dotted}`, `::ffff:0:${dotted}`];
        for (const form of forms) expect(addressRefusal(form), form).not.toBeNull();
      }),
    );
  });

  it.each(["", "no-address", "1.2.3", "fe80::1%eth0"])("%j is refused", (address) => {
    expect(addressRefusal(address)).not.toBeNull();
  });
});
