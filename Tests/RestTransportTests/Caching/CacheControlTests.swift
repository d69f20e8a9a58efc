// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTransport
import TestSupport
import Testing

@Suite(.tags(.specification)) struct CacheControlTests {
    private func control(_ values: String...) -> CacheControl {
        CacheControl(CacheSamples.fields(values.map { ("Cache-Control", $0) }))
    }

    @Test(arguments: [
        ("max-age=3600", 3600), ("MAX-AGE=3600", 3600), ("foobar, max-age=3600", 3600),
        ("max-age=003600", 3600), (#"max-age="3600""#, 3600), ("max-age=0", 0),
        ("max-age=-3600", 0), ("max-age='3600'", 0), ("max-age= 3600", 0), ("max-age=3600.0", 0),
        ("max-age=a3600", 0), ("max-age=3600a", 0), ("max-age=", 0), ("max-age", 0),
        ("max-age=1800, max-age=1", 1800), ("max-age=1, max-age=1800", 1),
        (#"a="x, max-age=1", max-age=3600"#, 3600), (#"a="\", max-age=1", max-age=3"#, 3),
        (",, ,max-age=5 ,", 5), ("s-maxage=3600, max-age=1", 1), ("@=1, max-age=2", 2),
        ("max-age=2147483647", 2_147_483_647), ("max-age=2147483648", 2_147_483_648),
        ("max-age=99999999999999999999999999999999", 2_147_483_648),
    ])
    func parsesMaxAge(text: String, seconds: Int) {
        #expect(control(text).maxAge == seconds)
    }

    @Test(arguments: [
        "", "max-age =3600", #"extension="max-age=3600""#, #"extension="max-age=3600"#,
        "xmax-age=3600", "s-maxage=3600",
    ])
    func ignoresMaxAgeInOtherPositions(text: String) {
        #expect(control(text).maxAge == nil)
    }

    @Test func parsesFlagsInAnyCaseAndLine() {
        let control = control("No-StOrE, must-revalidate", "IMMUTABLE, public", "private=\"x\"")
        #expect(control.noStore && control.mustRevalidate && control.isImmutable)
        #expect(control.isPublic && control.isPrivate && !control.noCache)
    }

    @Test func separatesNoCacheFieldNamesFromNoCache() {
        #expect(control("no-cache=\"Set-Cookie, b\"").noCacheFields == ["set-cookie", "b"])
        #expect(!control("no-cache=\"a\"").noCache)
        #expect(control("no-cache").noCache)
        #expect(control("no-cache=\"\"").noCache)
    }

    @Test func parsesRequestDirectives() {
        #expect(control("max-stale").maxStale == CacheControl.maximumSeconds)
        #expect(control("max-stale=60").maxStale == 60)
        #expect(control("max-stale=x").maxStale == 0)
        #expect(control("min-fresh=60").minFresh == 60)
        #expect(control("min-fresh=x").minFresh == CacheControl.maximumSeconds)
        #expect(control("only-if-cached").onlyIfCached)
        #expect(control("stale-if-error=5, stale-while-revalidate=6").staleIfError == 5)
        #expect(control("stale-if-error=x").staleIfError == 0)
    }

    @Test func usesRequestPragmaOnlyWithoutCacheControl() {
        let alone = CacheSamples.fields([("Pragma", "no-cache")])
        #expect(CacheControl(ofRequest: alone).noCache)
        #expect(!CacheControl(alone).noCache)
        let both = CacheSamples.fields([("Pragma", "no-cache"), ("Cache-Control", "max-age=1")])
        #expect(!CacheControl(ofRequest: both).noCache)
    }

    @Test func terminatesOnArbitraryBytes() {
        var generator = SystemRandomNumberGenerator()
        let alphabet = Array("max-age=3600,\"\\ \tno-cache".utf8)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0..<40, using: &generator)).map { _ in
                alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
            }
            let control = control(String(decoding: bytes, as: UTF8.self))
            #expect((control.maxAge ?? 0) <= CacheControl.maximumSeconds)
        }
    }
}
