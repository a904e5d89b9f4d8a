//! The inside of `$'…'`.

/// Resolves the escapes; `None` where the result is not certain.
pub(super) fn decode(body: &str) -> Option<String> {
    let mut decoded = String::new();
    let mut chars = body.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            decoded.push(c);
            continue;
        }
        let c = chars.next()?;
        decoded.push(match c {
            'a' => '\u{7}',
            'b' => '\u{8}',
            'e' | 'E' => '\u{1B}',
            'f' => '\u{C}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{B}',
            '\\' | '\'' | '"' | '?' => c,
            // Above 0x7F, `\x` and octal give bytes, which may or may not make a character.
            'x' => ascii(number(&mut chars, 16, 2)?)?,
            'u' => char::from_u32(number(&mut chars, 16, 4)?)?,
            'U' => char::from_u32(number(&mut chars, 16, 8)?)?,
            '0'..='7' => ascii(octal(c, &mut chars)?)?,
            _ => return None,
        });
    }
    Some(decoded)
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn number(chars: &mut Chars<'_>, radix: u32, most: usize) -> Option<u32> {
    let mut digits = String::new();
    while digits.len() < most
        && let Some(digit) = chars.next_if(|c| c.is_digit(radix))
    {
        digits.push(digit);
    }
    u32::from_str_radix(&digits, radix).ok()
}

fn octal(first: char, chars: &mut Chars<'_>) -> Option<u32> {
    let high = first.to_digit(8)?;
    let mut value = high;
    for _ in 0..2 {
        if let Some(digit) = chars.next_if(|c| c.is_digit(8)) {
            value = value * 8 + digit.to_digit(8)?;
        }
    }
    Some(value)
}

/// NUL ends the text in some shells and is dropped in others.
fn ascii(value: u32) -> Option<char> {
    char::from_u32(value).filter(|c| c.is_ascii() && *c != '\0')
}
