use rtrun_core::schedule::{Allowance, MAX_ROWS};

#[test]
fn no_more_of_a_text_need_be_read_than_its_request_has_left() {
    let mut allowance = Allowance::new(1000);
    allowance.take(1, 300).unwrap();
    assert_eq!(allowance.max_tokens(32, 16), 700, "there are rows for more");
    allowance.take(MAX_ROWS - 2, 0).unwrap();
    assert!(allowance.max_tokens(32, 16) < 100, "there is one row left");
}
